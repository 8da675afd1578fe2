// Elements that draw themselves, such as a text in tokens, inside of what html`` draws: each is made once, and closed when
// a drawing no longer has it.

export class Parts {
  constructor() {
    this.parts = new Map(); // name -> part
    this.used = new Set();
  }

  // The part of this name. make() gives it, with a `close` if it has something to close.
  of(name, make) {
    let key = name;
    for (let i = 2; this.used.has(key); i++) key = `${name} ${i}`; // two parts of one name are told apart by their order
    this.used.add(key);
    if (!this.parts.has(key)) this.parts.set(key, make());
    return this.parts.get(key);
  }

  // After each drawing: what it did not ask for is closed.
  drawn() {
    for (const [key, part] of this.parts) {
      if (this.used.has(key)) continue;
      part.close?.();
      this.parts.delete(key);
    }
    this.used.clear();
  }

  close() {
    this.drawn();
    this.drawn();
  }
}
