import { OnPaper } from "./on-paper";
import { isWide, PrintReport } from "./print-report";
import { useStore } from "../store";
import { printJob, setPrintJob } from "./store";

/** Brings the report that was asked for to paper, and takes it away after. */
export function PrintHost() {
  const job = useStore(printJob);
  if (!job) return null;
  return (
    <OnPaper
      paper={isWide(job) ? "landscape" : "portrait"}
      fileName={job.company ? `${job.title} - ${job.company}` : job.title}
      onDone={clear}
    >
      <PrintReport {...job} />
    </OnPaper>
  );
}

function clear(): void {
  setPrintJob(null);
}
