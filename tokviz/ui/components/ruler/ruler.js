// The boundary ruler: a text, and below each of its rows a line of ticks for each tokenizer, one where a token starts.
//
// The browser lays the text out, in rows high enough for what stands below them. Where a character came to stand is
// then measured, and the ticks, the consensus and the brackets of the disagreements are drawn there, as SVG behind the
// text. So any script and any font holds, right-to-left too; a boundary inside a character stands at its byte's share.
//
//   .ruler > .sheet > svg.marks, .names, .text > .row-line > .g; .part, where not all is drawn

const SVG = "http://www.w3.org/2000/svg";
const TOO_LONG = 40; // bytes of a stretch that may wrap inside
const TICK = 10;
const LANE = 18;
const BRACKET = 26;
const GAP = 20; // px at a font of 18 px, and with it larger
const DRAWN = 8_000; // bytes that are drawn at once, should a window be longer as nobody shares a boundary in it

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function shape(name, attributes, className = "") {
  const element = document.createElementNS(SVG, name);
  if (className) element.setAttribute("class", className);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

class Ruler {
  // `pointed` is called with {start, end} of what is pointed at, or null; `chosen` with the place of a region in
  // `regions` that was clicked, and the row whose ticks were, or null.
  constructor(parent, pointed, chosen) {
    this.pointed = pointed;
    this.chosen = chosen;
    this.box = parent.appendChild(make("div", "ruler"));
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "group");
    this.sheet = this.box.appendChild(make("div", "sheet"));
    this.marks = this.sheet.appendChild(shape("svg", { "aria-hidden": "true" }, "marks"));
    this.names = this.sheet.appendChild(make("div", "names"));
    this.names.setAttribute("aria-hidden", "true");
    this.text = this.sheet.appendChild(make("div", "text"));
    this.part = parent.appendChild(make("div", "part"));
    this.drawn = this.part.appendChild(make("p"));
    this.turns = [
      ["Earlier bytes", -1],
      ["Further bytes", 1],
    ].map(([label, way]) => {
      const button = this.part.appendChild(make("button", "plain", label));
      button.type = "button";
      button.addEventListener("click", () => {
        if (button.getAttribute("aria-disabled") === "true") return;
        this.turnTo(way < 0 ? this.from - 1 : this.to);
        this.box.scrollTop = 0;
      });
      return button;
    });
    this.rows = [];
    this.regions = [];
    this.selected = -1;
    this.lit = null;
    this.sheet.addEventListener("pointermove", (event) => this.over(event));
    this.sheet.addEventListener("pointerleave", () => this.point(null));
    this.sheet.addEventListener("click", (event) => this.click(event));
    this.sized = new ResizeObserver(() => this.layOut());
    this.sized.observe(this.box);
    this.loaded = () => this.layOut(true);
    document.fonts.addEventListener("loadingdone", this.loaded);
  }

  close() {
    this.sized.disconnect();
    document.fonts.removeEventListener("loadingdone", this.loaded);
  }

  // rows: {name, glyph, series, counted, encoding}; regions: [start, end] in bytes, numbered on from `first`. The text
  // is a part of another, where its first byte is number `offset`.
  load(rows, regions, first, offset) {
    Object.assign(this, { rows, regions, first, offset, selected: -1, lit: null, at: null });
    this.box.setAttribute("aria-label", `Boundary ruler of ${rows.map((row) => row.name).join(", ")}`);
    this.turnTo(0);
  }

  // Draw the part that this byte is in, and say where it lies if there are more.
  turnTo(byte) {
    const { n, bytes } = this.rows[0].encoding;
    const edge = (part) => {
      let at = Math.min(n, part * DRAWN);
      while (at < n && (bytes[at] & 0xc0) === 0x80) at--;
      return at;
    };
    let part = Math.floor(byte / DRAWN);
    if (edge(part + 1) <= byte && edge(part + 1) < n) part++;
    [this.from, this.to] = [edge(part), edge(part + 1)];
    this.part.hidden = n <= DRAWN;
    const [first, last, end] = [this.from, this.to, n].map((at) => figure(this.offset + at));
    this.drawn.replaceChildren(
      make("b", "", `Drawn are bytes ${first} to ${last}.`),
      ` The next boundary that all share is at byte ${end}.`,
    );
    const off = [this.from === 0, this.to === n];
    this.turns.forEach((button, i) => button.setAttribute("aria-disabled", off[i]));
    this.write();
    this.layOut(true);
  }

  // --- the text ---

  // A stretch from one boundary that all share to the next keeps together in a row where it is not too long. A boundary
  // inside what is read as one character parts no text.
  write() {
    const { bytes, text, units } = this.rows[0].encoding;
    const counted = this.rows.filter((row) => row.counted);
    this.shared = [];
    for (let i = this.from; i < this.to; i++) {
      if (i === this.from || counted.every(({ encoding: { seams } }) => seams[i] >= END)) this.shared.push(i);
    }
    this.shared.push(this.to);
    this.pieces = [];
    const lines = [];
    let line = null;
    const first = units[this.from];
    const characters = new Set([units[this.to]]);
    for (const { index } of graphemes.segment(text.slice(first, units[this.to]))) characters.add(first + index);
    const places = this.shared.filter((i) => (i === this.to || (bytes[i] & 0xc0) !== 0x80) && characters.has(units[i]));
    for (let i = 0; i + 1 < places.length; i++) {
      const [start, end] = [places[i], places[i + 1]];
      let group = null;
      const pieces = piecesOf(bytes, start, end);
      drawPieces(pieces).forEach((node, j) => {
        if (!line) {
          lines.push((line = make("div", "row-line")));
          line.dir = "auto";
          group = null;
        }
        group ||= line.appendChild(make("span", end - start > TOO_LONG ? "g long" : "g"));
        group.append(node);
        const [kind, string, at] = pieces[j];
        this.pieces.push({ kind, at, node, text: node.nodeType === Node.TEXT_NODE ? node : node.firstChild, string });
        if (kind === "mark" && string === "\n") line = null;
      });
    }
    this.text.classList.toggle("bidi", DIRECTION.test(text) || RIGHT_TO_LEFT.test(text));
    this.text.replaceChildren(...lines);
  }

  // --- where things stand ---

  layOut(anew = false) {
    const width = this.box.clientWidth;
    if (!width || !this.rows.length || (!anew && width === this.width)) return;
    this.width = width;
    this.box.style.setProperty("--named", `${this.widestName()}px`);
    const size = parseFloat(getComputedStyle(this.text).fontSize);
    const em = size / 18;
    const lanes = this.rows.length;
    this.size = { text: 1.7 * size, tick: TICK * em, lane: LANE * em, bracket: BRACKET * em };
    this.high = Math.round(this.size.text + this.size.bracket + lanes * this.size.lane + GAP * em);
    this.lift = (this.high - this.size.text) / 2;
    this.text.style.lineHeight = `${this.high}px`;
    this.text.style.marginTop = `${-this.lift}px`;
    this.sheet.style.paddingBottom = `${this.lift - 0.4 * GAP * em}px`;
    this.measure();
    this.draw();
    this.mark(this.lit);
    this.choose(this.selected);
  }

  // What the names of the rows take at the left, with mark and gaps; long ones end in three dots.
  widestName() {
    const { fontSize, fontFamily } = getComputedStyle(this.names);
    const em = parseFloat(fontSize);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${0.875 * em}px ${fontFamily}`;
    return Math.ceil(
      Math.min(9.5 * em, 2.25 * em + Math.max(...this.rows.map(({ name }) => pen.measureText(name).width))),
    );
  }

  // this.stops: each grapheme's bytes, row and edges; `rtl` where it is read from right to left.
  measure() {
    const sheet = this.sheet.getBoundingClientRect();
    const top = this.text.getBoundingClientRect().top;
    const range = document.createRange();
    this.stops = [];
    const add = (start, end, rects) => {
      let left = Infinity;
      let right = -Infinity;
      let row = 0;
      for (const rect of rects) {
        if (rect.left < left) left = rect.left;
        if (rect.right > right) right = rect.right;
        row = Math.floor((rect.top + rect.height / 2 - top) / this.high);
      }
      if (right >= left) this.stops.push({ start, end, row, left: left - sheet.left, right: right - sheet.left });
    };
    this.pieces.forEach(({ kind, at, node, text, string }, i) => {
      const end = this.pieces[i + 1]?.at ?? this.to;
      if (kind !== "text") return add(at, end, node.getClientRects());
      let byte = at;
      for (const { segment, index } of graphemes.segment(string)) {
        range.setStart(text, index);
        range.setEnd(text, index + segment.length);
        const length = bytesOf(segment);
        add(byte, byte + length, range.getClientRects());
        byte += length;
      }
      return null;
    });
    // A letter is read from right to left where the next of its row stands to its left.
    this.stops.forEach((stop, i) => {
      const next = this.stops[i + 1];
      const before = this.stops[i - 1];
      if (next?.row === stop.row) stop.rtl = next.left < stop.left;
      else stop.rtl = before?.row === stop.row && stop.left < before.left;
    });
    this.lines = [];
    this.stops.forEach(({ row, left, right }, i) => {
      const line = (this.lines[row] ||= { left, right, first: i, last: i });
      line.left = Math.min(line.left, left);
      line.right = Math.max(line.right, right);
      line.last = i;
    });
  }

  // The place among `stops` of the grapheme that byte i is in.
  stopAt(byte) {
    let low = 0;
    let high = this.stops.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.stops[middle].start <= byte) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Where the boundary before a byte stands: its share of the grapheme that it is in.
  x({ start, end, left, right, rtl }, byte) {
    const share = Math.min(1, Math.max(0, (byte - start) / (end - start)));
    return rtl ? right - share * (right - left) : left + share * (right - left);
  }

  // The bytes from start to end as {row, left, right}, one for each stretch of a row that they cover.
  extents(start, end) {
    const found = [];
    if (start >= this.to || end <= this.from) return found;
    for (let i = this.stopAt(start); i < this.stops.length && this.stops[i].start < end; i++) {
      const stop = this.stops[i];
      const a = this.x(stop, start);
      const b = this.x(stop, end);
      const left = Math.min(a, b);
      const right = Math.max(a, b);
      const last = found.at(-1);
      if (last?.row === stop.row && left <= last.right + 1 && right >= last.left - 1) {
        last.left = Math.min(last.left, left);
        last.right = Math.max(last.right, right);
      } else {
        found.push({ row: stop.row, left, right });
      }
    }
    return found;
  }

  top(row) {
    return row * this.high;
  }
  under(row) {
    return this.top(row) + this.size.text;
  }
  lane(row, j) {
    return this.under(row) + this.size.bracket + (j + 1) * this.size.lane - 4;
  }
  foot(row) {
    return this.lane(row, this.rows.length - 1) + 6;
  }

  // --- drawing ---

  draw() {
    const height = this.lines.length * this.high;
    this.marks.setAttribute("width", this.sheet.scrollWidth);
    this.marks.setAttribute("height", height);
    const agreed = shape("g", {}, "agreed");
    const brackets = shape("g", {}, "brackets");
    const ticks = shape("g", {}, "lanes");
    const starts = new Set(this.regions.map(([start]) => start));
    if (this.regionAt(this.from) >= 0) starts.add(this.from);
    for (let i = 0; i + 1 < this.shared.length; i++) {
      if (starts.has(this.shared[i]) || this.rows.filter((row) => row.counted).length < 2) continue;
      for (const { row, left, right } of this.extents(this.shared[i], this.shared[i + 1])) {
        agreed.append(
          shape("rect", {
            x: left,
            y: this.top(row),
            width: Math.max(0, right - left - 2),
            height: this.foot(row) - this.top(row),
          }),
        );
      }
    }
    this.chosenBand = shape("g", {}, "band");
    this.litBand = shape("g", {}, "lit");
    const taken = this.lines.map(() => []); // where numbers stand in each row
    this.brackets = this.regions.map(([start, end], i) => {
      const group = shape("g", { "data-region": this.first + i + 1 }, "bracket");
      const spans = this.extents(start, end);
      spans.forEach(({ row, left, right }, part) => {
        const y = this.under(row) + 6;
        const a = left + 1.5;
        const b = Math.max(right - 3.5, a + 1);
        group.append(
          shape("path", { d: `M${a} ${part ? y : y - 5}V${y}H${b}${part < spans.length - 1 ? "" : `V${y - 5}`}` }),
        );
      });
      if (spans.length) {
        const { row, left, right } = spans.reduce((a, b) => (b.right - b.left > a.right - a.left ? b : a));
        const label = figure(this.first + i + 1);
        const y = this.under(row) + 6;
        const half = Math.max(9, 4.2 * label.length + 5);
        const line = this.lines[row];
        const middle = Math.max(line.left + half, Math.min(line.right - half, (left + right - 2) / 2));
        const pill = shape("g", {}, "number");
        pill.append(shape("rect", { x: middle - half, y: y - 9, width: 2 * half, height: 18, rx: 9 }));
        const text = shape("text", { x: middle, y: y + 4.5 });
        text.textContent = label;
        pill.append(text);
        const free = taken[row].every((other) => Math.abs(other.middle - middle) >= other.half + half + 2);
        if (free) taken[row].push({ middle, half });
        pill.classList.toggle("crowded", !free); // it would lie on another; its bracket says enough
        group.append(pill);
      }
      brackets.append(group);
      return group;
    });
    this.rows.forEach(({ encoding, series, counted, name }, j) => {
      const lane = shape("g", { "data-name": name, style: `--k:var(--k-${series})` }, counted ? "lane" : "lane out");
      this.lines.forEach(({ left, right, first, last }, row) => {
        const y = this.lane(row, j);
        const from = this.stops[first].start;
        const to = this.stops[last].end;
        const at = [];
        let d = "";
        for (let i = from, stop = first; i < to; i++) {
          if (encoding.seams[i] < END) continue;
          while (stop < last && this.stops[stop].end <= i) stop++;
          at.push(i);
          const x = this.x(this.stops[stop], i) + (this.stops[stop].rtl ? -1 : 1);
          d += `M${x.toFixed(1)} ${y}v${-this.size.tick}`;
        }
        lane.append(shape("path", { d: `M${left} ${y}H${right}` }, "base"));
        if (at.length) lane.append(shape("path", { d, "data-at": at.join(" ") }, "ticks"));
      });
      for (const start of specialsIn(this.rows[j])) {
        for (const { row, left, right } of this.extents(start, endOf(encoding, start, END))) {
          const y = this.lane(row, j) - this.size.tick / 2;
          lane.append(shape("rect", { x: left, y, width: right - left, height: this.size.tick / 2 }, "special"));
        }
      }
      ticks.append(lane);
    });
    this.marks.replaceChildren(agreed, this.chosenBand, this.litBand, ticks, brackets);

    this.names.replaceChildren(
      ...this.lines.flatMap((_, row) =>
        this.rows.map(({ name, glyph, series, counted }, j) => {
          const label = make("div", counted ? "name" : "name out");
          const mark = label.appendChild(make("span", "mark", glyph));
          mark.style.color = `var(--k-${series})`;
          label.append(make("span", "said", name));
          label.title = name;
          label.style.top = `${this.lane(row, j) - this.size.tick / 2}px`;
          return label;
        }),
      ),
    );
  }

  bands(group, start, end, box) {
    group.replaceChildren(
      ...this.extents(start, end).map(({ row, left, right }) =>
        shape("rect", {
          x: left - 1,
          y: this.top(row),
          width: Math.max(2, right - left),
          rx: 3,
          height: box ? this.size.text : this.foot(row) - this.top(row),
        }),
      ),
    );
  }

  // --- what is selected, and what is pointed at ---

  choose(i, show = false) {
    this.brackets?.[this.selected]?.classList.remove("chosen");
    this.selected = i;
    if (show && this.regions[i] && (this.regions[i][0] >= this.to || this.regions[i][1] <= this.from)) {
      this.turnTo(this.regions[i][0]);
    }
    this.chosenBand?.replaceChildren();
    const group = this.brackets?.[i];
    if (!group || !this.stops.length) return;
    group.classList.add("chosen");
    group.parentNode.append(group); // above its neighbours
    const [start, end] = this.regions[i];
    this.bands(this.chosenBand, start, end, false);
    if (!show) return;
    const [place] = this.extents(start, end);
    if (!place) return;
    const { box } = this;
    const top = this.top(place.row);
    const foot = this.foot(place.row);
    if (top < box.scrollTop) box.scrollTop = top;
    else if (foot + 12 > box.scrollTop + box.clientHeight) box.scrollTop = foot + 12 - box.clientHeight;
    if (place.left - this.names.offsetWidth < box.scrollLeft || place.right > box.scrollLeft + box.clientWidth) {
      box.scrollLeft = Math.max(0, place.left - box.clientWidth / 3);
    }
  }

  // Outline these bytes (null: none).
  mark(span) {
    this.lit = span;
    if (!this.litBand) return;
    if (span && this.stops.length) this.bands(this.litBand, span[0], span[1], true);
    else this.litBand.replaceChildren();
  }

  point(at) {
    const key = at && `${at.start} ${at.end}`;
    if (key === this.at) return;
    this.at = key;
    this.mark(at && [at.start, at.end]);
    this.sheet.classList.toggle("on-region", Boolean(at) && this.regionAt(at.start) >= 0);
    this.pointed(at);
  }

  // What stands there: a token, on the ticks of a tokenizer; else the region, or what all cut alike.
  under_(event) {
    const sheet = this.sheet.getBoundingClientRect();
    const x = event.clientX - sheet.left;
    const y = event.clientY - sheet.top;
    const row = Math.floor(y / this.high);
    const line = this.lines?.[row];
    if (!line) return null;
    let hit = null;
    for (let i = line.first; i <= line.last; i++) {
      const stop = this.stops[i];
      if (x < stop.left || x >= stop.right) continue;
      const share = (x - stop.left) / (stop.right - stop.left);
      hit = Math.min(stop.end - 1, stop.start + Math.floor((stop.rtl ? 1 - share : share) * (stop.end - stop.start)));
      break;
    }
    if (hit === null) return null;
    const j = Math.floor((y - this.under(row) - this.size.bracket) / this.size.lane);
    if (j >= 0 && j < this.rows.length) {
      const { encoding } = this.rows[j];
      const start = startOf(encoding, hit, END);
      return { start, end: endOf(encoding, start, END), row: j, byte: hit };
    }
    const i = rankIn(this.shared, hit + 1) - 1;
    return { start: this.shared[i], end: this.shared[i + 1], row: null, byte: hit };
  }

  regionAt(byte) {
    return this.regions.findIndex(([start, end]) => start <= byte && byte < end);
  }

  over(event) {
    this.point(this.under_(event));
  }

  click(event) {
    const at = this.under_(event);
    const i = at ? this.regionAt(at.byte) : -1;
    if (i >= 0) this.chosen(i, at.row);
  }
}

// The first bytes of a row's special tokens.
const specialsIn = ({ encoding, special_ids: ids }) =>
  [...encoding.whole.keys()].filter((at) => ids.includes(encoding.whole.get(at)));

const measuring = new TextEncoder();
const bytesOf = (text) => measuring.encode(text).length;
