// Draws the picture of a figure of lines and bars whose axes have their ranges and ticks given, as Plotly would.
// It stands until a hand or the focus comes to it: Plotly takes 210 ms to load and draw, this 10.
// Every text goes in by textContent: names of events come from strangers.

const NS = "http://www.w3.org/2000/svg";
const ROW_PX = 19;
const AROUND_PX = 30;
const ARRAYS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, u1: Uint8Array };

const make = (tag, attributes, text) => {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

// Python's html.escape is for Plotly, which reads some markup in texts.
const read = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&#x27;/g, "'").replace(/&quot;/g, '"').replace(/&amp;/g, "&");

const values = (column) => {
  if (!column?.bdata) return column ?? [];
  const bytes = Uint8Array.from(atob(column.bdata), (letter) => letter.charCodeAt(0));
  return new ARRAYS[column.dtype](bytes.buffer);
};

const dashes = ({ dash = "solid", width = 2 }) => {
  const unit = Math.max(width, 3);
  return { dot: [1, 1], dash: [3, 3], dashdot: [3, 1, 1, 1] }[dash]?.map((part) => part * unit).join() ?? "none";
};

const isNumber = (value) => typeof value === "number" && !Number.isNaN(value);

const line = (trace, x, y) => {
  let path = "";
  let isDown = false;
  values(trace.y).forEach((value, at) => {
    if (isNumber(value)) path += `${isDown ? "L" : "M"}${x(trace.x[at]).toFixed(1)} ${y(value).toFixed(1)}`;
    isDown = isNumber(value);
  });
  const { color, width } = trace.line;
  return make("path", { d: path, fill: "none", stroke: color, "stroke-width": width, "stroke-dasharray": dashes(trace.line), "stroke-linejoin": "round" });
};

const bars = (trace, x, y, day) => {
  const { color, line: rim = {} } = trace.marker;
  let path = "";
  values(trace.y).forEach((value, at) => {
    if (isNumber(value) && value) path += `M${(x(trace.x[at]) - day * 0.4).toFixed(1)} ${y(0).toFixed(1)}V${y(value).toFixed(1)}h${(day * 0.8).toFixed(1)}V${y(0).toFixed(1)}`;
  });
  return make("path", { d: path, fill: color, stroke: rim.color ?? "none", "stroke-width": rim.width ?? 0 });
};

const sample = (trace, at, top) => {
  if (trace.type === "bar") {
    const { color, line: rim = {} } = trace.marker;
    return make("path", { d: `M${at + 15} ${top - 6}h12v12h-12z`, fill: color, stroke: rim.color ?? "none", "stroke-width": rim.width ?? 0 });
  }
  return make("path", { d: `M${at + 5} ${top}h30`, stroke: trace.line.color, "stroke-width": trace.line.width, "stroke-dasharray": dashes(trace.line) });
};

// Words on a ground of their own, which no line crosses.
const remark = (svg, { text, xanchor, font, bgcolor }, { x, top }, look) => {
  const isLeft = xanchor === "right";
  const width = penOf(look, font.size).measureText(read(text)).width;
  svg.append(make("rect", { x: isLeft ? x - width : x, y: top, width, height: font.size + 3, fill: bgcolor }));
  svg.append(make("text", { x, y: top + font.size + 1, "text-anchor": isLeft ? "end" : "start", "font-size": font.size, fill: font.color }, read(text)));
};

const penOf = (look, size) => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${size}px ${look.font.family}`;
  return pen;
};

// As wide as the longest name, as many columns as fit: so does Plotly.
const columnsOf = (traces, look, width) => {
  const pen = penOf(look, 12);
  const column = Math.max(...traces.map((trace) => pen.measureText(read(trace.name)).width)) + 45;
  const columns = Math.max(1, Math.floor(width / column));
  return { column, columns, rows: Math.ceil(traces.length / columns) };
};

const named = (data) => data.filter((trace) => trace.showlegend !== false);

const legend = (svg, data, { left, width, bottom }, look) => {
  const traces = named(data);
  const { column, columns, rows } = columnsOf(traces, look, width);
  traces.forEach((trace, at) => {
    const x = left + (at % columns) * column;
    const y = bottom - 14 - (rows - 1 - Math.floor(at / columns)) * ROW_PX;
    svg.append(make("text", { x: x + 40, y: y + 4, "font-size": 12, fill: look.legend.font.color }, read(trace.name)));
    svg.append(sample(trace, x, y));
  });
};

// What the legend needs beyond its margin; Plotly would take it from the panels.
export function legendRoom({ data, layout }, width) {
  const look = layout.template.layout;
  const margin = { ...look.margin, ...layout.margin };
  const { rows } = columnsOf(named(data), look, width - margin.l - margin.r);
  return Math.max(0, rows * ROW_PX + AROUND_PX - margin.t);
}

const title = (svg, axis, x, middle, look) => {
  const { text, font = look.yaxis.title.font } = axis.title ?? {};
  if (text) svg.append(make("text", { transform: `translate(${x} ${middle}) rotate(-90)`, "text-anchor": "middle", "font-size": font.size, fill: font.color ?? look.yaxis.title.font.color }, text));
};

export function draw(box, { data, layout }) {
  const look = layout.template.layout;
  const margin = { ...look.margin, ...layout.margin };
  const { width, height } = layout;
  const plot = { left: margin.l, top: margin.t, width: width - margin.l - margin.r, height: height - margin.t - margin.b };
  const svg = make("svg", { class: "still", width, height, "font-family": look.font.family, "aria-hidden": "true" });
  box.append(svg);
  const [first, last] = layout.xaxis.range.map((day) => Date.parse(day));
  const x = (day) => plot.left + ((Date.parse(day) - first) / (last - first)) * plot.width;
  const day = (86_400_000 / (last - first)) * plot.width;
  const muted = look.yaxis.tickfont.color;
  const scales = {};
  for (const [name, axis] of Object.entries(layout)) {
    if (!/^yaxis\d*$/.test(name)) continue;
    const [from, to] = axis.domain ?? layout.yaxis.domain;
    const bottom = plot.top + plot.height * (1 - from);
    const size = plot.height * (to - from);
    const [low, high] = axis.range;
    const y = (value) => bottom - ((value - low) / (high - low)) * size;
    const isRight = axis.side === "right";
    scales[name.replace("axis", "")] = y;
    axis.tickvals.forEach((tick, at) => {
      const level = Math.round(y(tick)) + 0.5;
      const colour = tick ? look.yaxis.gridcolor : look.yaxis.zerolinecolor;
      if (axis.showgrid !== false) svg.append(make("path", { d: `M${plot.left} ${level}h${plot.width}`, stroke: colour }));
      const edge = isRight ? plot.left + plot.width + 3 : plot.left - 3;
      svg.append(make("text", { x: edge, y: level + 4, "text-anchor": isRight ? "start" : "end", "font-size": 12, fill: muted }, axis.ticktext[at]));
    });
    title(svg, axis, isRight ? plot.left + plot.width + 43 : plot.left - 34, bottom - size / 2, look);
  }
  const ground = plot.top + plot.height;
  layout.xaxis.tickvals.forEach((tick, at) => {
    layout.xaxis.ticktext[at].split("<br>").forEach((text, row) => {
      svg.append(make("text", { x: x(tick), y: ground + 15 + row * 16, "text-anchor": "middle", "font-size": 12, fill: muted }, text));
    });
  });
  for (const trace of data) {
    const y = scales[trace.yaxis ?? "y"];
    svg.append(trace.type === "bar" ? bars(trace, x, y, day) : line(trace, x, y));
  }
  for (const { type, x0, x1, fillcolor, line: stroke } of layout.shapes ?? []) {
    const left = Math.max(plot.left, x(x0));
    if (type === "rect") svg.prepend(make("rect", { x: left, y: plot.top, width: Math.max(0, x(x1) - left), height: plot.height, fill: fillcolor }));
    else svg.append(make("path", { d: `M${Math.round(x(x0)) + 0.5} ${plot.top}v${plot.height}`, stroke: stroke.color, "stroke-width": stroke.width, "stroke-dasharray": dashes(stroke) }));
  }
  for (const one of layout.annotations ?? []) remark(svg, one, { x: x(one.x), top: plot.top - (one.yshift ?? 0) }, look);
  legend(svg, data, { left: plot.left, width: plot.width, bottom: plot.top - plot.height * 0.02 }, look);
  return svg;
}
