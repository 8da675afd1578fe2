// Shows a component in a file of its own: gives it what Streamlit would, without a server.

{
  const parentElement = document.getElementById("component");
  const data = JSON.parse(document.getElementById("data").textContent);
  // biome-ignore lint/correctness/noUndeclaredVariables: __init__.py puts this after a script that defines it
  const show = () => $component({ name: "", key: "", data, parentElement, setStateValue() {}, setTriggerValue() {} });
  show();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
}
