"use strict";
const steps = [...document.querySelectorAll(".step")];
const bar = document.getElementById("bar");
const number = document.getElementById("number");
const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
let at = 0;

function show(place) {
  at = Math.max(0, Math.min(steps.length - 1, Math.trunc(place) || 0));
  steps.forEach((step, other) => { step.hidden = other !== at; });
  number.value = at;
}

function go(to) {
  show({ first: 0, back: at - 1, on: at + 1, last: steps.length - 1 }[to]);
}

function showAsked() {
  show(Number(location.hash.replace("#step-", "")));
}

if (steps.length) {
  bar.hidden = false;
  bar.querySelectorAll("button").forEach(button => button.addEventListener("click", () => go(button.dataset.to)));
  number.addEventListener("change", () => show(Number(number.value)));
  addEventListener("hashchange", showAsked);
  addEventListener("keydown", event => {
    if (!(event.key in keys) || event.target === number || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(keys[event.key]);
  });
  showAsked();
}
