import { useEffect, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { PrintReport } from "./print-report";
import { currentPrintJob, setPrintJob, subscribe, type PrintJob } from "./store";

/** Puts the report beside the page, opens the print dialog, and takes the report away after it. */
export function PrintHost() {
  const job = useSyncExternalStore(subscribe, currentPrintJob);
  return job && createPortal(<Printing job={job} />, document.body);
}

function Printing({ job }: { job: PrintJob }) {
  useEffect(() => {
    const done = () => setPrintJob(null);
    window.addEventListener("afterprint", done);
    // The tab's name is what a saved PDF is called.
    const before = document.title;
    document.title = job.company ? `${job.title} - ${job.company}` : job.title;
    const timer = setTimeout(() => window.print());
    return () => {
      clearTimeout(timer);
      window.removeEventListener("afterprint", done);
      document.title = before;
    };
  }, [job]);
  return <PrintReport {...job} />;
}
