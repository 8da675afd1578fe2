// Write a text in the view's own field, which shows it as it is.

export class WriteTextTask {
  constructor(_box, _attempt, typed, fill) {
    this.fill = fill;
    this.typed = ({ text }) => typed(text); // in place of the view's own question
  }

  start() {}

  restore(answer) {
    this.fill("text", answer);
  }

  judged() {}
}
