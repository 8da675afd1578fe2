// A component in a file of its own: what Streamlit would give it, and no server behind it.

{
  const parentElement = document.getElementById("component");
  const data = JSON.parse(document.getElementById("data").textContent);
  // biome-ignore lint/correctness/noUndeclaredVariables: this text stands behind a component's script, which defines it
  const show = () => component({ name: "", key: "", data, parentElement, setStateValue() {}, setTriggerValue() {} });
  show();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
}
