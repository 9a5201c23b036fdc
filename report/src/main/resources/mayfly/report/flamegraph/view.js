/* Draws a tree on a canvas, and finds the frame at a point. */

const ROW = 21, EDGE = 6, LEAST = 0.5, FONT = "12.5px ", LONGEST = 400;
/** The height of a canvas, in pixels, that all browsers can draw. */
const HIGHEST = 32e3;

class View {
  constructor(stage, spacer, canvas) {
    Object.assign(this, {stage, spacer, canvas, pen: canvas.getContext("2d", {alpha: false})});
    this.rows = [];
    this.others = [];
    this.zoom = 0;
    this.focus = -1;
    this.hover = -1;
    this.flame = false;
    this.marked = null;
    this.widths = new Map();
    this.shades = new Map();
    this.requested = false;
    this.printing = false;
    stage.addEventListener("scroll", () => this.request());
  }

  show(tree, labels, mixes) {
    Object.assign(this, {tree, labels, mixes});
    this.layout();
  }

  /** Colours come from the style sheet: a probe element resolves them for the current theme. */
  readColours(kinds) {
    this.hatched = kinds.findIndex(kind => kind.colour === BROKEN);
    const probe = document.createElement("i");
    document.body.append(probe);
    const resolve = variable => {
      probe.style.color = `var(${variable})`;
      return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
    };
    this.fills = kinds.map(kind => resolve("--k-" + kind.colour));
    this.panel = resolve("--panel");
    const css = rgb => `rgb(${rgb.join(",")})`;
    this.ink = css(resolve("--frame-ink"));
    this.back = css(this.panel);
    this.accent = css(resolve("--accent"));
    this.mark = css(resolve("--mark"));
    this.other = css(resolve("--other"));
    this.quiet = css(resolve("--quiet"));
    this.sans = getComputedStyle(document.body).fontFamily;
    probe.remove();
    this.shades.clear();
    this.widths.clear();
    this.request();
  }

  /**
   * Finds the frames that are wide enough to be drawn, row by row, for the current zoom and width. The narrower callees
   * of one caller are adjacent, because callees are sorted by weight, and are drawn as one box.
   */
  layout() {
    const {tree, zoom} = this;
    const width = this.spacer.clientWidth;
    this.width = width;
    this.scale = tree.total[zoom] > 0 ? width / tree.total[zoom] : 0;
    this.left = tree.start[zoom];
    const base = tree.depth[zoom], rows = [], others = [];
    for (let i = zoom; i < tree.end[zoom];) {
      const row = tree.depth[i] - base;
      if (tree.total[i] * this.scale < LEAST && i !== zoom) {
        const caller = tree.parent[i], boxes = others[row] ??= [], last = boxes.at(-1);
        if (last?.caller === caller) {
          last.total += tree.total[i];
          last.count++;
        } else {
          boxes.push({caller, start: tree.start[i], total: tree.total[i], count: 1});
        }
        i = tree.end[i];
        continue;
      }
      (rows[row] ??= []).push(i);
      i++;
    }
    if (zoom === 0 && tree.rest.count) this.addRest(others[1] ??= []);
    this.rows = rows;
    this.others = others.map(boxes => boxes.filter(box => box.total * this.scale >= LEAST));
    this.hot = new Set(tree.hottest(zoom));
    this.anchor(Math.max(Math.max(rows.length, this.others.length) * ROW + 2 * EDGE, this.stage.clientHeight));
    this.request();
  }

  /** The frames without a node follow the narrow ones, which are the last callees of the root. */
  addRest(boxes) {
    const {total, count} = this.tree.rest, last = boxes.at(-1), end = this.tree.total[0];
    if (last?.caller === 0) boxes.pop();
    const narrow = last?.caller === 0 ? last : {total: 0, count: 0};
    const sum = narrow.total + total;
    boxes.push({caller: 0, start: end - sum, total: sum, count: narrow.count + count});
  }

  /** Scrolls a new view to its root. A view that was only resized keeps its distance from the root. */
  anchor(height) {
    const {stage, tree, zoom, flame} = this, seen = this.seen;
    const same = seen && seen.tree === tree && seen.zoom === zoom && seen.flame === flame;
    // In a window that has grown, the browser has already moved the scroll position to the end, which is the root.
    const atEnd = stage.scrollTop >= this.height - stage.clientHeight - 1;
    const fromRoot = !same || flame && atEnd ? 0
      : flame ? this.height - seen.room - stage.scrollTop : stage.scrollTop;
    this.seen = {tree, zoom, flame, room: stage.clientHeight};
    this.height = height;
    this.spacer.style.height = height + "px";
    stage.scrollTop = flame ? height - stage.clientHeight - fromRoot : fromRoot;
  }

  request() {
    if (this.requested || !this.tree) return;
    this.requested = true;
    requestAnimationFrame(() => {
      this.requested = false;
      this.draw();
    });
  }

  /** Draws the whole graph instead of the part in the window, for as long as it is printed. */
  print(printing) {
    this.printing = printing;
    if (this.tree) this.draw();
  }

  draw() {
    const {pen, canvas, stage, tree, printing, width} = this;
    const height = printing ? this.height : stage.clientHeight;
    const ratio = Math.min(window.devicePixelRatio || 1, HIGHEST / height);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = height + "px";
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = this.back;
    pen.fillRect(0, 0, width, height);
    pen.textBaseline = "middle";
    this.drawn = 0;
    for (let row = 0; row < Math.max(this.rows.length, this.others.length); row++) {
      const y = this.yOf(row);
      if (y + ROW < 0 || y > height) continue;
      for (const node of this.rows[row] ?? []) this.box(node, y, width);
      for (const other of this.others[row] ?? []) this.otherBox(other, y, width);
    }
    for (const node of [this.hover, this.focus]) {
      if (node >= this.zoom && node < tree.end[this.zoom]) this.outline(node, node === this.focus);
    }
  }

  yOf(row) {
    const y = this.flame ? this.height - EDGE - (row + 1) * ROW : EDGE + row * ROW;
    return this.printing ? y : y - this.stage.scrollTop;
  }

  xOf(node) {
    return (this.tree.start[node] - this.left) * this.scale;
  }

  box(node, y, width) {
    const {pen, tree} = this;
    const x = Math.max(0, this.xOf(node)), right = Math.min(width, x + tree.total[node] * this.scale);
    const wide = right - x, gap = wide > 3 ? 1 : wide > 1.2 ? 0.4 : 0;
    const w = Math.max(wide - gap, 0.4);
    this.drawn++;
    pen.fillStyle = this.shade(node);
    if (wide > 8) {
      pen.beginPath();
      pen.roundRect(x, y, w, ROW - 1, 3);
      pen.fill();
    } else {
      pen.fillRect(x, y, w, ROW - 1);
    }
    if (tree.kind[node] === this.hatched && wide > 3) this.hatch(x, y, w);
    if (this.marked && this.marked[tree.name[node]]) {
      pen.fillStyle = this.mark;
      pen.fillRect(x, y + ROW - 4, w, 3);
    }
    if (wide > 26) {
      pen.font = (this.hot.has(node) ? "600 " : "") + FONT + this.sans;
      const text = this.fit(tree.name[node], wide - 11);
      if (text) {
        pen.fillStyle = this.ink;
        pen.fillText(text, x + 5, y + ROW / 2);
      }
    }
  }

  /** Draws the box that represents frames too narrow for their own boxes. */
  otherBox({start, total, count}, y, width) {
    const {pen} = this;
    const x = Math.max(0, (start - this.left) * this.scale), right = Math.min(width, x + total * this.scale);
    pen.fillStyle = this.other;
    pen.fillRect(x, y, Math.max(right - x - (right - x > 3 ? 1 : 0), 0.4), ROW - 1);
    if (right - x > 60) {
      pen.font = FONT + this.sans;
      pen.fillStyle = this.quiet;
      pen.fillText(right - x > 130 ? `other (${grouped(count)})` : "other", x + 5, y + ROW / 2);
    }
  }

  /** Returns the colour of a frame: the colour of its kind, paler for a smaller share of the visible total. */
  shade(node) {
    const {tree} = this;
    const share = tree.total[node] / (tree.total[this.zoom] || 1);
    const level = this.hot.has(node) ? 0 : share > 0.1 ? 1 : share > 0.02 ? 2 : 3;
    const faded = this.marked && !this.marked[tree.name[node]] ? 1 : 0;
    const key = tree.kind[node] * 64 + level * 8 + tree.name[node] % 3 * 2 + faded;
    let css = this.shades.get(key);
    if (css === undefined) {
      const keep = [1, 0.9, 0.74, 0.6][level] * (faded ? 0.5 : 1) - tree.name[node] % 3 * 0.035;
      const mixed = this.fills[tree.kind[node]].map((c, i) => Math.round(c * keep + this.panel[i] * (1 - keep)));
      this.shades.set(key, css = `rgb(${mixed.join(",")})`);
    }
    return css;
  }

  hatch(x, y, w) {
    const {pen} = this;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, w, ROW - 1);
    pen.clip();
    pen.strokeStyle = this.back;
    pen.globalAlpha = 0.45;
    pen.lineWidth = 2;
    pen.beginPath();
    for (let at = x - ROW - x % 9; at < x + w; at += 9) {
      pen.moveTo(at, y + ROW);
      pen.lineTo(at + ROW, y);
    }
    pen.stroke();
    pen.restore();
  }

  outline(node, strong) {
    const {pen, tree} = this;
    const x = Math.max(0, this.xOf(node)), right = Math.min(this.width, x + tree.total[node] * this.scale);
    const y = this.yOf(tree.depth[node] - tree.depth[this.zoom]);
    pen.strokeStyle = strong ? this.accent : this.ink;
    pen.lineWidth = strong ? 2 : 1;
    pen.beginPath();
    pen.roundRect(x + 0.5, y + 0.5, Math.max(right - x - 2, 1), ROW - 2, 3);
    pen.stroke();
  }

  /** Shortens a name until it fits: first without package and parameters, then with an ellipsis. */
  fit(name, room) {
    const full = this.labels[name].slice(0, LONGEST);
    if (this.widthOf(full) <= room) return full;
    const short = shortName(full);
    if (this.widthOf(short) <= room) return short;
    const method = methodName(short);
    if (method !== short && this.widthOf(method) <= room) return method;
    let length = Math.floor(short.length * room / this.widthOf(short));
    while (length > 1 && this.pen.measureText(short.slice(0, length) + "…").width > room) length--;
    return length > 1 ? short.slice(0, length) + "…" : "";
  }

  widthOf(text) {
    const key = this.pen.font[0] + text;
    let width = this.widths.get(key);
    if (width === undefined) {
      if (this.widths.size > 50000) this.widths.clear();
      this.widths.set(key, width = this.pen.measureText(text).width);
    }
    return width;
  }

  /** Returns the frame at a point of the canvas, or -1. */
  nodeAt(x, y) {
    const fromTop = y + this.stage.scrollTop;
    const row = Math.floor((this.flame ? this.height - EDGE - fromTop : fromTop - EDGE) / ROW);
    const nodes = this.rows[row];
    if (!nodes) return -1;
    const at = this.left + x / this.scale;
    let low = 0, high = nodes.length - 1;
    while (low < high) {
      const middle = low + high + 1 >> 1;
      if (this.tree.start[nodes[middle]] <= at) low = middle;
      else high = middle - 1;
    }
    const node = nodes[low], start = this.tree.start[node];
    return start <= at && at < start + Math.max(this.tree.total[node], 1 / this.scale) ? node : -1;
  }

  /** Returns the box of narrow frames at a point of the canvas, or undefined. */
  otherAt(x, y) {
    const fromTop = y + this.stage.scrollTop;
    const row = Math.floor((this.flame ? this.height - EDGE - fromTop : fromTop - EDGE) / ROW);
    const at = this.left + x / this.scale;
    return this.others[row]?.find(({start, total}) => start <= at && at < start + total);
  }

  /** Returns the rectangle in which a frame is drawn, in pixels of the canvas. */
  boxOf(node) {
    return {x: this.xOf(node), y: this.yOf(this.tree.depth[node] - this.tree.depth[this.zoom]),
      width: this.tree.total[node] * this.scale, height: ROW};
  }

  scrollTo(node) {
    const y = this.boxOf(node).y, room = this.stage.clientHeight;
    if (y < 0) this.stage.scrollTop += y - ROW;
    else if (y + 2 * ROW > room) this.stage.scrollTop += y + 2 * ROW - room;
  }
}

/** Returns the part after the last dot or colon, for a narrow frame. */
function methodName(short) {
  const name = /[.:]([\w$<>~]{2,}(?::\d+)?)$/u.exec(short);
  return name ? name[1] : short;
}

/** Returns the class and method of a Java name, a C++ name without its parameters, and any other name unchanged. */
function shortName(label) {
  const java = /^(?:[\w$]+\.)+([\w$/]+\.[^.\s(:]+.*)$/u.exec(label);
  if (java) return java[1];
  const open = label.indexOf("(");
  return open > 1 && label.includes("::") ? label.slice(0, open) : label;
}
