"use strict";
{
  const input = document.querySelector("#search");
  const form = input.form;
  const status = document.querySelector("#found");
  const bodies = [...document.querySelectorAll("article, .child")];
  const own = (body, selector) =>
    [...body.querySelectorAll(selector)].filter((element) => element.closest("article, .child") === body);
  const text = (element) => element.textContent.toLowerCase();

  // The innermost come first: what is found in a child shows its parent too.
  const index = bodies.reverse().map((body) => ({
    body,
    head: text(body.querySelector("header")),
    entries: own(body, "[data-entry]").map((element) => ({
      element,
      text: `${text(element.closest(".group").querySelector(".title"))} ${text(element)}`,
    })),
    groups: own(body, ".group"),
    link: document.querySelector(`nav a[href="#${body.id}"]`).parentElement,
  }));

  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (text) => words.every((word) => text.includes(word));
    let found = 0;
    for (const { body, head, entries, groups, link } of index) {
      const isNamed = matches(head);
      let shown = isNamed ? 1 : 0;
      for (const entry of entries) {
        const isFound = isNamed || matches(entry.text);
        entry.element.hidden = !isFound;
        shown += isFound;
      }
      for (const group of groups) {
        group.hidden = !group.querySelector("[data-entry]:not([hidden])");
      }
      found += shown;
      const holds = body.querySelector(".child:not([hidden])") !== null;
      body.hidden = shown === 0 && !holds;
      link.hidden = body.hidden;
    }
    status.textContent =
      words.length === 0 ? status.dataset.hint : found === 0 ? "Nothing found" : `${found} found`;
  };

  input.addEventListener("input", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const links = [...document.querySelectorAll("main [data-entry] a")];
    links.find((link) => link.closest("[hidden]") === null)?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    } else if (event.key === "Escape" && input.value !== "") {
      input.value = "";
      search();
      input.focus();
    }
  });
  // A link into the page leads to what a search has hidden.
  addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target !== null && target.closest("[hidden]") !== null) {
      input.value = "";
      search();
      target.scrollIntoView();
    }
  });
  form.hidden = false;
  search();
}
