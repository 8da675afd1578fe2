// Write a text in the view's own field, which shows it as it is.

export class WriteTextTask {
  constructor(_box, _attempt, view, typed) {
    this.view = view;
    this.typed = ({ text }) => typed(text); // in place of the view's own question
  }

  start() {}

  restore(answer) {
    this.view.field.area.value = answer;
  }

  judged() {}
}
