// Tells once when the place is well in view, or when its button is pressed; a rim of it at the edge is not enough.

export default function ({ data, parentElement, setTriggerValue }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  const come = () => {
    observer.disconnect();
    setTriggerValue("near", true);
  };
  const observer = new IntersectionObserver(
    (entries) => entries.some((entry) => entry.isIntersecting) && come(),
    { threshold: 0.8 },
  );
  button.onclick = come;
  observer.observe(button);
  return () => observer.disconnect();
}
