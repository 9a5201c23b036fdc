/* The page, which handles keys, clicks and the address. */

const BROKEN = "broken";
/** The minimum width of a match in pixels. The page zooms in to a narrower match. */
const VISIBLE = 30;
/** The number of frames from which an inversion takes a second or more, so the page first shows a status. */
const SLOW = 1e5;
const $ = id => document.getElementById(id);
const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

class Page {
  constructor(data) {
    this.data = data;
    this.trees = [data.tree, null];
    this.state = {zoom: 0, inverted: false, flame: false, query: "", only: -1, table: false, theme: ""};
    this.sort = {column: "self", ascending: false};
    this.matches = [];
    this.match = -1;
    /** The change that waits until the browser has painted the status, or null. */
    this.pending = null;
    this.view = new View($("stage"), $("spacer"), $("graph"));
    this.view.readColours(data.kinds);
    $("title").textContent = data.title;
    $("title").title = data.title;
    $("subtitle").textContent = data.subtitle;
    this.legend();
    this.facts();
    this.listen();
    this.fromAddress();
  }

  get tree() {
    const {trees} = this;
    return this.state.inverted ? trees[1] ??= trees[0].inverted(this.data.labels.length) : trees[0];
  }

  /** Changes the state and shows it. All changes of the state are made by this method. */
  go(change, remember = false) {
    const before = this.state;
    const state = this.state = {...before, ...change};
    if (!(state.only >= 0 && state.only < this.data.labels.length)) state.only = -1;
    if (state.only >= 0) state.query = `"${this.data.labels[state.only].slice(0, 998)}"`;
    if (state.inverted !== before.inverted) {
      state.zoom = change.zoom ?? 0;
      this.view.focus = -1;
    }
    if (!(state.zoom >= 0 && state.zoom < this.tree.size)) state.zoom = 0;
    document.documentElement.dataset.theme = state.theme;
    if (state.theme !== before.theme) this.view.readColours(this.data.kinds);
    this.view.hover = -1;
    $("tip").hidden = true;
    $("invert").setAttribute("aria-pressed", state.inverted);
    $("flip").setAttribute("aria-pressed", state.flame);
    $("list").setAttribute("aria-pressed", state.table);
    $("top").hidden = !state.table;
    $("stage").hidden = state.table;
    $("hottest").disabled = state.table;
    if ($("query").value !== state.query) $("query").value = state.query;
    this.search();
    this.crumbs();
    if (state.table) this.rows();
    Object.assign(this.view, {zoom: state.zoom, flame: state.flame, marked: this.marked});
    if (!state.table) this.view.show(this.tree, this.data.labels, this.data.mixes);
    if (!(this.view.focus >= state.zoom && this.view.focus < this.tree.end[state.zoom])) this.view.focus = -1;
    this.say(this.view.focus >= 0 ? this.view.focus : state.zoom);
    this.toAddress(remember);
  }

  /** Inverts the tree, or restores the original tree. */
  invert() {
    if (!this.pending) this.show({inverted: !this.state.inverted});
  }

  /** Does the work of go(), but the browser paints the status before the long first inversion. */
  show(change) {
    const slow = change.inverted && !this.trees[1] && this.trees[0].size >= SLOW;
    if (slow && !this.pending) requestAnimationFrame(() => setTimeout(() => this.showPending()));
    this.pending = slow ? change : null;
    if (slow) $("status").textContent = "inverting …";
    else this.go(change);
  }

  showPending() {
    const change = this.pending;
    this.pending = null;
    if (change) this.go(change);
  }

  zoomTo(node) {
    if (node >= 0 && node !== this.state.zoom) this.go({zoom: node}, true);
  }

  /* The address contains the state, so that a link to the file opens the same view. */

  toAddress(remember) {
    const {zoom, inverted, flame, query, only, table, theme} = this.state;
    const parts = new URLSearchParams();
    if (zoom) parts.set("z", zoom);
    if (inverted) parts.set("i", 1);
    if (flame) parts.set("f", 1);
    if (table) parts.set("t", 1);
    if (only >= 0) parts.set("n", only);
    else if (query) parts.set("q", query);
    if (theme) parts.set("theme", theme);
    const hash = "#" + parts;
    if (hash === (location.hash || "#")) return;
    if (remember) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  }

  fromAddress() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const theme = parts.get("theme");
    this.show({zoom: Math.trunc(Number(parts.get("z"))) || 0, inverted: parts.has("i"), flame: parts.has("f"),
      table: parts.has("t"), query: (parts.get("q") ?? "").slice(0, 1000),
      only: parts.has("n") ? Math.trunc(Number(parts.get("n"))) : -1,
      theme: theme === "dark" || theme === "light" ? theme : ""});
  }

  /* Searching */

  /**
   * Returns a predicate on the index of a name, or null. The query is a selected name, a name in quotes, a regular
   * expression between slashes, or plain text.
   */
  matcher() {
    const {query, only} = this.state, {labels} = this.data;
    const between = mark => query.length > 2 && query.startsWith(mark) && query.endsWith(mark);
    if (only >= 0) return name => name === only;
    if (between('"')) return name => labels[name] === query.slice(1, -1);
    if (between("/")) {
      try {
        const pattern = new RegExp(query.slice(1, -1), "iu");
        return name => pattern.test(labels[name].slice(0, 1000));
      } catch {
        return null;
      }
    }
    const wanted = query.toLowerCase();
    return query ? name => labels[name].toLowerCase().includes(wanted) : null;
  }

  search() {
    const {query, only, zoom, inverted} = this.state, tree = this.tree, test = this.matcher();
    $("find").classList.toggle("bad", query !== "" && !test);
    $("previous").hidden = $("next").hidden = !test;
    this.marked = test ? Uint8Array.from(this.data.labels, (_, name) => test(name) ? 1 : 0) : null;
    const asked = `${inverted} ${only} ${query}`, changed = this.asked !== asked;
    this.asked = asked;
    if (!test) {
      this.matches = [];
      this.match = -1;
      this.matchedShare = null;
      $("matched").textContent = query ? "not a regular expression" : "";
      return;
    }
    if (changed) {
      this.match = -1;
      this.matches = [];
      for (let i = 1; i < tree.size; i++) if (this.marked[tree.name[i]]) this.matches.push(i);
      this.matches.sort((a, b) => tree.total[b] - tree.total[a] || a - b);
    }
    this.matchedShare = {all: share(tree.weightOf(this.marked, 0), tree.total[0]),
      zoom: share(tree.weightOf(this.marked, zoom), tree.total[zoom])};
    const place = this.matches.length ? ` · ${this.match < 0 ? "" : this.match + 1
      + "/"}${grouped(this.matches.length)}` : "";
    $("matched").textContent = percent(this.matchedShare.all)
      + (zoom ? ` · ${percent(this.matchedShare.zoom)} of zoom` : "") + place;
  }

  /** Selects the next or the previous match. Matches are in descending order of weight. */
  toMatch(step) {
    const count = this.matches.length;
    if (!count) return;
    this.match = this.match < 0 ? (step > 0 ? 0 : count - 1) : (this.match + step + count) % count;
    const node = this.matches[this.match], {tree} = this;
    const inside = node >= this.state.zoom && node < tree.end[this.state.zoom];
    this.view.focus = node;
    // The graph is shown before it is measured, because a hidden element has no width.
    this.go({zoom: inside ? this.state.zoom : 0, table: false});
    if (tree.total[node] * this.view.scale < VISIBLE) this.go({zoom: this.wideEnough(node)}, true);
    this.view.scrollTo(node);
  }

  /** Returns the farthest caller of a frame at which zooming makes the frame wide enough, or the frame itself. */
  wideEnough(node) {
    const {parent, total} = this.tree, least = Math.max(0.06, VISIBLE / this.view.width);
    let up = node;
    while (up > 0 && total[parent[up]] * least <= total[node]) up = parent[up];
    return up;
  }

  /* The description of a frame */

  say(node) {
    $("status").textContent = node < 0 ? "" : this.sentence(node);
  }

  sentence(node) {
    const {tree} = this, parts = [this.labelOf(node), ...this.amounts(node)];
    const detail = this.data.details[tree.name[node]];
    return [...parts, this.kindOf(node), detail, this.limits(node)].filter(Boolean).join(" · ");
  }

  /** Returns a sentence at the root about the callers that a bounded inverted tree lacks. */
  limits(node) {
    const {left, total, size} = this.tree;
    return node || !left ? "" : `${percent(share(left, total[0]))} of all is shown without some of its callers: `
      + `the inverted graph has ${grouped(size)} frames, and at most 500 levels`;
  }

  labelOf(node) {
    const label = this.data.labels[this.tree.name[node]];
    return label.length > 500 ? label.slice(0, 500) + "…" : label;
  }

  amounts(node) {
    const {tree} = this, zoom = this.state.zoom;
    const amounts = [this.amount(tree.total[node]), percent(share(tree.total[node], tree.total[0])) + " of all"];
    if (zoom && node > zoom) amounts.push(percent(share(tree.total[node], tree.total[zoom])) + " of zoom");
    if (!this.state.inverted && node) amounts.push("self " + percent(share(tree.self[node], tree.total[0])));
    return amounts;
  }

  kindOf(node) {
    if (!node) return "";
    const {kinds, mixes} = this.data, mix = this.state.inverted ? null : mixes.get(node);
    if (!mix) return kinds[this.tree.kind[node]].label;
    const sum = mix.reduce((a, b) => a + b, 0);
    return mix.map((part, kind) => [part, kinds[kind].label]).filter(([part]) => part > 0)
      .sort((a, b) => b[0] - a[0]).map(([part, label]) => `${label} ${percent(share(part, sum))}`).join(", ");
  }

  amount(weight) {
    switch (this.data.unit) {
      case "ns": return weight >= 1e9 ? (weight / 1e9).toFixed(2) + " s" : (weight / 1e6).toFixed(2) + " ms";
      case "bytes": return weight >= 1e6 ? (weight / 1e6).toFixed(1) + " MB" : (weight / 1e3).toFixed(1) + " kB";
      default: return `${grouped(weight)} ${weight === 1 ? this.data.unit.replace(/s$/, "") : this.data.unit}`;
    }
  }

  tip(event, node) {
    const tip = $("tip");
    tip.hidden = node < 0;
    if (node < 0) return;
    const detail = this.data.details[this.tree.name[node]];
    const amounts = this.amounts(node).flatMap((text, i) => i ? [" · ", text] : [element("b", {textContent: text})]);
    tip.replaceChildren(element("strong", {textContent: this.labelOf(node)}), element("div", {}, ...amounts));
    if (node) {
      tip.append(element("div", {}, element("i", {className: this.swatch(this.tree.kind[node])}),
        [this.kindOf(node), detail].filter(Boolean).join(" · ")));
    }
    this.placeTip(event);
  }

  tipOfOther(event, {caller, count, total}) {
    const {tree} = this, name = count === 1 ? "1 other frame" : `${grouped(count)} other frames`;
    $("tip").hidden = false;
    $("tip").replaceChildren(element("strong", {textContent: name}),
      element("div", {}, element("b", {textContent: this.amount(total)}),
        ` · ${percent(share(total, tree.total[0]))} of all · each too narrow to draw`),
      element("div", {textContent: caller === this.state.zoom ? "Click for the table of all frames"
        : "Click to zoom into the frame they belong to"}));
    this.placeTip(event);
  }

  /** Opens a box of narrow frames: zooms to their caller, or shows the table if the page is already zoomed to it. */
  open({caller}) {
    if (caller === this.state.zoom) this.go({table: true}, true);
    else this.zoomTo(caller);
  }

  placeTip(event) {
    const tip = $("tip"), {offsetWidth: width, offsetHeight: height} = tip;
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
    tip.style.top = (event.clientY + 22 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 22)
      + "px";
  }

  crumbs() {
    const path = this.tree.path(this.state.zoom), shown = path.length > 60 ? [0, ...path.slice(-58)] : path;
    const bar = $("crumbs");
    bar.replaceChildren();
    shown.forEach((node, i) => {
      if (i) bar.append(element("span", {textContent: i === 1 && shown.length < path.length ? " › … › " : " › "}));
      const label = this.data.labels[this.tree.name[node]];
      const text = shortName(label.slice(0, LONGEST));
      const crumb = element("button", {type: "button", title: label.slice(0, 500),
        textContent: text.length > 60 ? text.slice(0, 59) + "…" : text});
      if (node === this.state.zoom) crumb.setAttribute("aria-current", "true");
      crumb.addEventListener("click", () => this.zoomTo(node));
      bar.append(crumb);
    });
    bar.scrollLeft = bar.scrollWidth;
  }

  /** Returns the classes of a swatch in the colour of a kind. */
  swatch(kind) {
    return "swatch k-" + this.data.kinds[kind].colour;
  }

  legend() {
    const {kinds, tree} = this.data;
    kinds.forEach((kind, i) => {
      if (!kind.weight || kind.colour === BROKEN) return;
      $("legend").append(element("li", {}, element("i", {className: this.swatch(i)}), kind.label,
        element("b", {textContent: percent(share(kind.weight, tree.total[0]))})));
    });
    let incomplete = 0;
    const broken = kinds.findIndex(kind => kind.colour === BROKEN);
    for (let i = 1; i < tree.size; i = tree.kind[i] === broken ? tree.end[i] : i + 1) {
      if (tree.kind[i] === broken) incomplete += tree.total[i];
    }
    if (incomplete) {
      $("legend").append(element("li", {title: "Frames towards the root are missing, for the reason given"},
        element("i", {className: this.swatch(broken)}), "incomplete stacks",
        element("b", {textContent: percent(share(incomplete, tree.total[0]))})));
    }
  }

  facts() {
    const sections = new Map();
    for (const {section, name, value} of this.data.facts) {
      if (!sections.has(section)) sections.set(section, element("dl", {}));
      sections.get(section).append(element("dt", {textContent: name,
        className: name === "alarm" || name === "warning" ? "alarm" : ""}), element("dd", {textContent: value}));
    }
    for (const [section, list] of sections) $("facts").append(element("h3", {textContent: section}), list);
  }

  /* The table: the contents of the graph as rows, which screen readers can read too. */

  rows() {
    const LIMIT = 200, {labels, details} = this.data, base = this.data.tree;
    const zoom = this.state.inverted ? 0 : this.state.zoom;
    const {self, total, kind} = base.byName(zoom, labels.length);
    let ids = [...labels.keys()].filter(id => total[id] > 0 && (!this.marked || this.marked[id]));
    const {column, ascending} = this.sort, all = base.total[zoom];
    const by = {self: (a, b) => self[a] - self[b] || total[a] - total[b], total: (a, b) => total[a] - total[b],
      name: (a, b) => labels[a] < labels[b] ? -1 : labels[a] > labels[b] ? 1 : 0}[column];
    ids.sort((a, b) => (ascending ? by(a, b) : by(b, a)) || a - b);
    const found = ids.length;
    ids = ids.slice(0, LIMIT);
    this.tableRows = ids.map(id => ({name: labels[id], self: self[id], total: total[id]}));
    $("rows").replaceChildren(...ids.map(id => {
      const name = labels[id].length > 300 ? labels[id].slice(0, 300) + "…" : labels[id];
      const link = element("button", {type: "button", textContent: name, title: "Show in the graph"});
      link.addEventListener("click", () => {
        this.go({table: false, only: id, zoom});
        const inside = this.matches.findIndex(node => node >= zoom && node < this.tree.end[zoom]);
        this.match = Math.max(inside, 0) - 1;
        this.toMatch(1);
      });
      return element("tr", {}, element("td", {textContent: percent(share(self[id], all)),
        title: this.amount(self[id])}),
        element("td", {textContent: percent(share(total[id], all)), title: this.amount(total[id])}),
        element("td", {}, element("i", {className: this.swatch(kind[id]), title: this.data.kinds[kind[id]].label}),
          link,
          element("small", {textContent: details[id]})));
    }));
    const count = found === 1 ? "1 frame" : `${grouped(found)} frames`;
    $("more").textContent = (found > LIMIT ? `${LIMIT} of ${count}` : count)
      + (zoom ? ` below ${labels[base.name[zoom]].slice(0, 200)}` : "") + (this.marked ? " that match the search" : "");
    for (const header of document.querySelectorAll("#top th")) {
      const own = header.firstElementChild.dataset.sort === column;
      if (own) header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      else header.removeAttribute("aria-sort");
    }
  }

  /* Events */

  listen() {
    const canvas = $("graph"), {view} = this;
    canvas.addEventListener("mousemove", event => {
      const node = view.nodeAt(event.offsetX, event.offsetY);
      const other = node < 0 ? view.otherAt(event.offsetX, event.offsetY) : null;
      if (node !== view.hover) {
        view.hover = node;
        view.request();
      }
      canvas.style.cursor = node < 0 && !other ? "default" : "pointer";
      if (other) this.tipOfOther(event, other);
      else this.tip(event, node);
    });
    canvas.addEventListener("mouseleave", () => {
      view.hover = -1;
      $("tip").hidden = true;
      view.request();
    });
    canvas.addEventListener("click", event => {
      const node = view.nodeAt(event.offsetX, event.offsetY);
      if (node < 0) {
        const other = view.otherAt(event.offsetX, event.offsetY);
        if (other) this.open(other);
        return;
      }
      view.focus = node;
      this.zoomTo(node);
      this.say(node);
      view.request();
    });
    $("query").addEventListener("input", () => this.go({query: $("query").value.slice(0, 1000), only: -1}));
    $("find").addEventListener("submit", event => {
      event.preventDefault();
      this.toMatch(1);
    });
    const buttons = {previous: () => this.toMatch(-1), next: () => this.toMatch(1), hottest: () => this.hottest(),
      invert: () => this.invert(), flip: () => this.go({flame: !this.state.flame}),
      list: () => this.go({table: !this.state.table}), about: () => $("details").showModal(),
      keys: () => $("help").showModal(), theme: () => this.go({theme: this.isDark() ? "light" : "dark"})};
    for (const [id, act] of Object.entries(buttons)) $(id).addEventListener("click", act);
    for (const button of document.querySelectorAll("[data-sort]")) {
      button.addEventListener("click", () => {
        const column = button.dataset.sort;
        this.sort = {column, ascending: this.sort.column === column ? !this.sort.ascending : column === "name"};
        this.rows();
      });
    }
    for (const dialog of document.querySelectorAll("dialog")) {
      dialog.addEventListener("click", event => event.target === dialog && dialog.close());
    }
    addEventListener("keydown", event => this.key(event));
    addEventListener("hashchange", () => this.fromAddress());
    addEventListener("popstate", () => this.fromAddress());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
      () => view.readColours(this.data.kinds));
    addEventListener("beforeprint", () => view.print(true));
    addEventListener("afterprint", () => view.print(false));
    new ResizeObserver(() => this.state.table || view.tree && view.layout()).observe($("stage"));
    const onRatio = () => {
      view.request();
      matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", onRatio, {once: true});
    };
    onRatio();
  }

  isDark() {
    return this.state.theme ? this.state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  hottest() {
    this.view.focus = this.tree.hottest(this.state.zoom).at(-1);
    this.say(this.view.focus);
    this.view.scrollTo(this.view.focus);
    this.view.request();
  }

  key(event) {
    if (event.ctrlKey && event.key === "f" || event.metaKey && event.key === "f") return;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target === $("query")) {
      if (event.key === "Escape") {
        this.go({query: "", only: -1});
        $("graph").focus();
        event.preventDefault();
      }
      return;
    }
    const onButton = event.target instanceof HTMLButtonElement && (event.key === "Enter" || event.key === " ");
    const act = onButton ? null : this.keyActions()[event.key];
    if (act) {
      act();
      event.preventDefault();
    }
  }

  keyActions() {
    const {view, state} = this, at = view.focus >= 0 ? view.focus : state.zoom;
    return {
      "/": () => $("query").select(), "n": () => this.toMatch(1), "N": () => this.toMatch(-1),
      "i": () => $("invert").click(), "f": () => $("flip").click(), "t": () => $("list").click(),
      "d": () => $("about").click(), "?": () => $("keys").click(), "h": () => state.table || this.hottest(),
      "c": () => this.copy(view.hover >= 0 ? view.hover : at),
      "Enter": () => this.zoomTo(at), "Backspace": () => this.zoomTo(this.tree.parent[state.zoom]),
      "Escape": () => this.escape(),
      "ArrowUp": () => this.move(at, state.flame ? 1 : -1, 0),
      "ArrowDown": () => this.move(at, state.flame ? -1 : 1, 0),
      "ArrowLeft": () => this.move(at, 0, -1), "ArrowRight": () => this.move(at, 0, 1),
    };
  }

  escape() {
    if (this.state.table) this.go({table: false});
    else if (this.state.zoom) this.go({zoom: 0}, true);
    else this.go({query: "", only: -1});
  }

  /** Moves the selection among the frames that are drawn. */
  move(from, down, right) {
    const {view, tree} = this;
    if (this.state.table) return;
    const row = view.rows[tree.depth[from] - tree.depth[this.state.zoom] + down];
    if (!row) return;
    const to = down < 0 ? tree.parent[from]
      : down > 0 ? row.find(node => tree.parent[node] === from) : row[row.indexOf(from) + right];
    if (to === undefined || to < this.state.zoom) return;
    view.focus = to;
    view.scrollTo(to);
    this.say(to);
    view.request();
  }

  copy(node) {
    const text = this.data.labels[this.tree.name[node]];
    const said = () => $("status").textContent = "copied: " + text.slice(0, 200);
    const byHand = () => {
      const area = element("textarea", {value: text});
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      said();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(said, byHand);
    else byHand();
  }
}

const share = (part, whole) => whole > 0 ? part / whole : 0;
const percent = part => (part * 100).toFixed(part > 0 && part < 0.001 ? 2 : 1) + " %";
const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

/* The global variable is for tests. */
document.body.classList.remove("plain");
window.mayfly = {
  loaded: decode($("data").textContent.trim()).then(data => {
    window.mayfly.data = data;
    window.mayfly.page = new Page(data);
  }).catch(problem => {
    $("status").textContent = "The data of this page is damaged, or the browser is too old to unpack it: " + problem;
  }),
};
