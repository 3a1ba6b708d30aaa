import { useEffect, type ReactNode } from "react";
import { createPortal } from "react-dom";
import "./on-paper.css";

/** The page formats; each is defined in `on-paper.css`. */
export type Paper = "portrait" | "landscape" | "cards" | "letter-cards";

/**
 * Renders print-only content, opens the print dialog, and calls `onDone` when it has closed. The
 * content may be secret, so `onDone` must remove it; `onDone` must be stable.
 */
export function OnPaper({
  paper,
  fileName,
  onDone,
  children,
}: {
  paper: Paper;
  /** The document title during printing, which names a saved PDF. */
  fileName: string;
  onDone: () => void;
  children: ReactNode;
}) {
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    window.addEventListener("afterprint", onDone, { signal });
    window.addEventListener("pagehide", onDone, { signal });
    const previousTitle = document.title;
    document.title = fileName;
    const timer = setTimeout(() => {
      // The page is unreachable behind a print dialog, so input means that the dialog has closed,
      // also in browsers without the event.
      window.addEventListener("pointerdown", onDone, { signal });
      window.addEventListener("keydown", onDone, { signal });
      window.print();
    });
    return () => {
      clearTimeout(timer);
      ending.abort();
      document.title = previousTitle;
    };
  }, [fileName, onDone]);
  return createPortal(
    <div data-print-report={paper} className="hidden print:block">
      {children}
    </div>,
    document.body,
  );
}
