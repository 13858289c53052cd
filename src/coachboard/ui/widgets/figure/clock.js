// Elapsed time on a figure: ticks that fit the width and the zoom, and h:mm:ss instead of seconds in labels.
// charts/clock_axis.py applies the same two rules in Python; a test compares the two.

const DAY_S = 86_400;
const LABEL_PX = 72;

const two = (number) => String(number).padStart(2, "0");

export const clockText = (seconds) => {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
};

export const clockTicks = (low, high, most, steps) => {
  const smallest = (high - low) / most;
  const step = steps.find((one) => one >= smallest) ?? DAY_S * Math.ceil(smallest / DAY_S);
  const first = Math.max(0, Math.ceil(low / step)); // a pan may show x < 0
  const count = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, at) => step * (first + at));
};

// Ticks of a range for a width in pixels, in Plotly's format.
export const clockAxis = ({ range, nticks }, width, steps) => {
  const most = Math.max(3, Math.min(nticks, Math.floor(width / LABEL_PX)));
  const tickvals = clockTicks(...range, most, steps);
  return { tickvals, ticktext: tickvals.map(clockText) };
};

// Plotly formats the time as a number: replace the label's title `754 s` by `12:34`.
export const writeClock = (box) => {
  for (const { childNodes } of box.querySelectorAll(".hoverlayer .legendtitletext, .hoverlayer .legendtitletext tspan"))
    for (const node of childNodes)
      if (node.nodeType === Node.TEXT_NODE) node.data = node.data.replace(/^(\d+) s$/, (_, seconds) => clockText(+seconds));
};
