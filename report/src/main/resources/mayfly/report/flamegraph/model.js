/* The tree of frames as columns of numbers, in pre-order, the heaviest child first. */

/** Reads the fields that Payload.java writes, in the same order. */
async function decode(base64) {
  const packed = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 0;
  const number = () => {
    let value = 0, factor = 1, b;
    do {
      b = bytes[at++];
      value += (b & 127) * factor;
      factor *= 128;
    } while (b > 127);
    return value;
  };
  const text = new TextDecoder();
  const strings = Array.from({length: number()}, () => {
    const length = number();
    return text.decode(bytes.subarray(at, at += length));
  });
  const string = () => strings[number()];
  const data = {title: string(), subtitle: string(), unit: string()};
  data.facts = Array.from({length: number()}, () => ({section: string(), name: string(), value: string()}));
  data.kinds = Array.from({length: number()}, () => ({label: string(), colour: string(), weight: number()}));
  const names = number();
  data.labels = Array.from({length: names}, string);
  data.details = Array.from({length: names}, string);
  const size = number();
  const depth = new Int32Array(size), name = new Int32Array(size), kind = new Uint8Array(size);
  const self = new Float64Array(size);
  for (let i = 0, last = -1; i < size; i++) {
    depth[i] = last = last + 1 - number();
  }
  for (let i = 0; i < size; i++) name[i] = number();
  for (let i = 0; i < size; i++) kind[i] = number();
  for (let i = 0; i < size; i++) self[i] = number();
  data.mixes = new Map();
  const mixes = number(), parts = number();
  for (let i = 0, node = 0; i < mixes; i++) {
    node += number();
    data.mixes.set(node, Array.from({length: parts}, number));
  }
  data.tree = new Tree(depth, name, kind, self);
  return data;
}

class Tree {
  constructor(depth, name, kind, self) {
    Object.assign(this, {depth, name, kind, self, size: depth.length, left: 0, rest: {total: 0, count: 0}});
    const size = this.size;
    this.parent = new Int32Array(size).fill(-1);
    this.end = new Int32Array(size);       // one past the last node below
    this.total = Float64Array.from(self);
    this.start = new Float64Array(size);   // left edge, in weight
    let deepest = 0;
    for (let i = 0; i < size; i++) if (depth[i] > deepest) deepest = depth[i];
    const open = new Int32Array(deepest + 2).fill(-1);
    for (let i = 0; i < size; i++) {
      if (depth[i] > 0) this.parent[i] = open[depth[i] - 1];
      open[depth[i]] = i;
    }
    this.end.fill(0);
    for (let i = size - 1; i >= 0; i--) {
      if (this.end[i] < i + 1) this.end[i] = i + 1;
      const up = this.parent[i];
      if (up >= 0) {
        this.total[up] += this.total[i];
        if (this.end[up] < this.end[i]) this.end[up] = this.end[i];
      }
    }
    const next = new Float64Array(deepest + 3);
    for (let i = 0; i < size; i++) {
      const d = depth[i];
      this.start[i] = next[d];
      next[d + 1] = next[d];
      next[d] += this.total[i];
    }
  }

  path(node) {
    const path = [];
    for (let i = node; i >= 0; i = this.parent[i]) path.push(i);
    return path.reverse();
  }

  /** Returns the weight of all samples at or below a node that contain a marked name, each counted once. */
  weightOf(marked, node) {
    let sum = 0;
    for (let i = node; i < this.end[node];) {
      if (marked[this.name[i]]) {
        sum += this.total[i];
        i = this.end[i];
      } else {
        i++;
      }
    }
    return sum;
  }

  /** Returns the path from a node along the heaviest callees, while each has at least 40 % of its caller's weight. */
  hottest(node) {
    const path = [node];
    for (let i = node; i + 1 < this.end[i] && (i === 0 || this.total[i + 1] >= 0.4 * this.total[i]);) {
      path.push(++i);
    }
    return path;
  }

  /** Returns each name's own weight and total weight at or below a node. A recursive name counts once in its total. */
  byName(node, names) {
    const self = new Float64Array(names), total = new Float64Array(names);
    const kind = new Uint8Array(names), heaviest = new Float64Array(names), until = new Int32Array(names);
    for (let i = Math.max(node, 1); i < this.end[node]; i++) {
      const name = this.name[i];
      self[name] += this.self[i];
      if (until[name] <= i) {
        total[name] += this.total[i];
        until[name] = this.end[i];
        if (this.total[i] > heaviest[name]) {
          heaviest[name] = this.total[i];
          kind[name] = this.kind[i];
        }
      }
    }
    return {self, total, kind};
  }

  /**
   * Returns the inverted tree: the children of the root are the frames with a weight of their own, and the children of
   * a frame are its callers. The tree is bounded: `left` has the weight of the samples without all their callers, and
   * `rest` the weight and the number of the frames that have no node.
   */
  inverted(names, mostNodes = 3e6, deepest = 500) {
    const absent = new Set();
    let left = 0;
    let room = 1 << 16, count = 1, slots = new Int32Array(room * 2);
    let parent = new Int32Array(room), name = new Int32Array(room), kind = new Uint8Array(room);
    let weight = new Float64Array(room), own = new Float64Array(room), best = new Float64Array(room);
    parent[0] = -1;
    kind[0] = this.kind[0];
    const slotOf = (up, label) => (Math.imul(up, 0x9E3779B9) ^ Math.imul(label + 1, 0x85EBCA6B)) >>> 0;
    const grow = () => {
      const larger = (old, fresh) => (fresh.set(old), fresh);
      room *= 2;
      parent = larger(parent, new Int32Array(room));
      name = larger(name, new Int32Array(room));
      kind = larger(kind, new Uint8Array(room));
      weight = larger(weight, new Float64Array(room));
      own = larger(own, new Float64Array(room));
      best = larger(best, new Float64Array(room));
      slots = new Int32Array(room * 2);
      for (let i = 1; i < count; i++) {
        let at = slotOf(parent[i], name[i]) & slots.length - 1;
        while (slots[at]) at = at + 1 & slots.length - 1;
        slots[at] = i;
      }
    };
    const child = (up, label) => {
      let at = slotOf(up, label), mask = slots.length - 1;
      for (at &= mask; slots[at]; at = at + 1 & mask) {
        if (parent[slots[at]] === up && name[slots[at]] === label) return slots[at];
      }
      if (count >= mostNodes) return -1;
      const fresh = count++;
      parent[fresh] = up;
      name[fresh] = label;
      slots[at] = fresh;
      if (count === room) grow();
      return fresh;
    };
    for (let leaf = 1; leaf < this.size; leaf++) {
      const amount = this.self[leaf];
      if (!(amount > 0)) continue;
      let node = 0, levels = 0, i = leaf;
      for (; i > 0 && levels < deepest; i = this.parent[i], levels++) {
        const below = child(node, this.name[i]);
        if (below < 0) break;
        node = below;
        weight[node] += amount;
        if (amount > best[node]) {
          best[node] = amount;
          kind[node] = this.kind[i];
        }
      }
      own[node] += amount;
      if (i > 0) left += amount;
      if (!levels) absent.add(this.name[leaf]);
    }
    const tree = Tree.inOrder(count, parent, name, kind, own, weight);
    return Object.assign(tree, {left, rest: {total: absent.size ? own[0] : 0, count: absent.size}});
  }

  /** Sorts nodes into pre-order, heaviest child first. In the input, each node follows its parent. */
  static inOrder(count, parent, name, kind, own, weight) {
    const first = new Int32Array(count + 2);
    for (let i = 1; i < count; i++) first[parent[i] + 2]++;
    for (let i = 1; i < count + 2; i++) first[i] += first[i - 1];
    const children = new Int32Array(count);
    for (let i = 1; i < count; i++) children[first[parent[i] + 1]++] = i;
    const depth = new Int32Array(count), names = new Int32Array(count), kinds = new Uint8Array(count);
    const selves = new Float64Array(count), stack = new Int32Array(count), level = new Int32Array(count);
    let open = 1, done = 0;
    kinds[0] = kind[0];
    while (open > 0) {
      const node = stack[--open];
      depth[done] = level[node];
      names[done] = name[node];
      kinds[done] = kind[node];
      selves[done++] = own[node];
      const below = children.subarray(first[node], first[node + 1]);
      if (below.length > 1) below.sort((a, b) => weight[a] - weight[b] || name[b] - name[a]);
      for (let i = 0; i < below.length; i++) {
        level[below[i]] = level[node] + 1;
        stack[open++] = below[i];
      }
    }
    return new Tree(depth, names, kinds, selves);
  }
}
