import { useEffect, type ReactNode } from "react";
import { createPortal } from "react-dom";

/** How the paper lies, and what goes on it; each has its own page in `styles/print.css`. */
export type Paper = "portrait" | "landscape" | "cards";

/**
 * Stands beside the page for paper only, opens the print dialog, and tells when that has closed.
 * What is in here may be secret, so `onDone` must take it away; keep `onDone` the same function.
 */
export function OnPaper({
  paper,
  fileName,
  onDone,
  children,
}: {
  paper: Paper;
  /** The tab's name meanwhile, which is what a saved PDF is called. */
  fileName: string;
  onDone: () => void;
  children: ReactNode;
}) {
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    window.addEventListener("afterprint", onDone, { signal });
    window.addEventListener("pagehide", onDone, { signal });
    const before = document.title;
    document.title = fileName;
    const timer = setTimeout(() => {
      // Nobody can reach the page behind a print dialog: a press or a key means that it is gone,
      // also in browsers that don't tell so.
      window.addEventListener("pointerdown", onDone, { signal });
      window.addEventListener("keydown", onDone, { signal });
      window.print();
    });
    return () => {
      clearTimeout(timer);
      ending.abort();
      document.title = before;
    };
  }, [fileName, onDone]);
  return createPortal(
    <div data-print-report={paper} className="hidden print:block">
      {children}
    </div>,
    document.body,
  );
}
