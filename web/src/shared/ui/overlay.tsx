/**
 * The dimmed page behind a dialog. Radix's own overlay locks scrolling through an injected <style>,
 * which the content security policy refuses; `data-scroll-lock` does it in index.css. It has the
 * z-index of dialogs, so that a dialog over another one dims that too.
 */
export function Overlay() {
  return (
    <div
      aria-hidden
      data-scroll-lock
      className="fixed inset-0 z-50 animate-[appear_150ms] bg-scrim"
    />
  );
}
