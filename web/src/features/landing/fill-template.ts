/**
 * Clones the named template. Parts with an unmet condition are removed, and `{{name}}` in texts is
 * replaced by a value.
 */
export function fillTemplate(
  root: ParentNode,
  name: string,
  values: Readonly<Record<string, string | number>> = {},
  holds: readonly string[] = [],
): DocumentFragment {
  const template = root.querySelector<HTMLTemplateElement>(`template[data-name="${name}"]`);
  if (!template) throw new Error(`no template ${name}`);
  // React renders a template's children beside its content.
  template.content.append(...template.childNodes);
  const copy = document.importNode(template.content, true);
  for (const part of copy.querySelectorAll<HTMLElement>("[data-if]")) {
    if (holds.includes(part.dataset.if ?? "")) part.replaceWith(...part.childNodes);
    else part.remove();
  }
  const texts = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    text.nodeValue = fillText(text.nodeValue ?? "", values);
  }
  return copy;
}

export function fillText(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
}
