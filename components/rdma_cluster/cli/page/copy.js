// Adds what HTML cannot do: a button that copies, and folded parts on paper where the style cannot unfold them.
for (const text of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy";
  button.onclick = () => {
    getSelection().selectAllChildren(text);
    // Not navigator.clipboard, which a page served by plain HTTP lacks.
    button.textContent = document.execCommand("copy") ? "copied" : "selected";
  };
  text.before(button);
}
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
