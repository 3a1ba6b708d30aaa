import { OnPaper } from "./on-paper";
import { isWide, PrintReport } from "./print-report";
import type { PrintJob } from "./store";

export function ReportOnPaper({ job, onClose }: { job: PrintJob; onClose: () => void }) {
  return (
    <OnPaper
      paper={isWide(job) ? "landscape" : "portrait"}
      fileName={job.company ? `${job.title} - ${job.company}` : job.title}
      onDone={onClose}
    >
      <PrintReport {...job} />
    </OnPaper>
  );
}
