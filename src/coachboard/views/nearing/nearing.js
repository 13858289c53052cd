// Tells once when the place comes into view, or when its button is pressed.

export default function ({ data, parentElement, setTriggerValue }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  const come = () => {
    observer.disconnect();
    setTriggerValue("near", true);
  };
  const observer = new IntersectionObserver(
    (entries) => entries.some((entry) => entry.isIntersecting) && come(),
  );
  button.onclick = come;
  observer.observe(button);
  return () => observer.disconnect();
}
