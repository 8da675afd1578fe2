// Presenter mode, for a projector: parts of a component move into a dialog that fills the screen, and back.

export class Presenter {
  // dialog: with the element `projected`, to which the parts move, and the buttons `presses`. parts(): what moves.
  // moved(on) is called when it has moved.
  constructor({ dialog, projected, presses, parts, moved }) {
    Object.assign(this, { dialog, projected, parts, moved });
    // A press leaves the focus where it was, so the keys go on, also after a click on Back.
    presses.addEventListener("mousedown", (event) => event.preventDefault());
    dialog.addEventListener("close", () => this.left());
  }

  get on() {
    return this.dialog.open;
  }

  toggle(on = !this.on) {
    if (on === this.on) return;
    if (!on) return this.dialog.close();
    this.homes = this.parts().map((part) => [part, new Comment()]);
    for (const [part, home] of this.homes) part.replaceWith(home);
    this.projected.append(...this.parts());
    this.dialog.showModal();
    this.moved(true);
  }

  left() {
    if (!this.homes) return;
    for (const [part, home] of this.homes) home.replaceWith(part);
    this.homes = null;
    this.moved(false);
  }
}
