// A report to the dashboard that waits for its answer, of which only the newest is timed.

const ANSWER_MS = 15_000;
const UNANSWERED = "No answer from the dashboard: perhaps not saved. Reload the page.";

class Answer {
  wait(tellLate) {
    clearTimeout(this.timer);
    this.timer = setTimeout(tellLate, ANSWER_MS, UNANSWERED);
  }

  arrived() {
    clearTimeout(this.timer);
  }
}

