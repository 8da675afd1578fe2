// Write a text in the view's own field, which shows it as it is. Each key is judged.

export class WriteTextTask {
  constructor(_box, attempt, view) {
    this.view = view;
    this.typed = ({ text }) => attempt(text); // in place of the view's own question
  }

  start() {}

  restore(answer) {
    this.view.field.area.value = answer;
  }

  judged() {}
}
