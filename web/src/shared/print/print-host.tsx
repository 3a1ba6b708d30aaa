import { useStore } from "../store";
import { dialogOnDemand } from "../ui/dialog-on-demand";
import { printJob, setPrintJob } from "./store";

const ReportOnPaper = dialogOnDemand(() =>
  import("./report-on-paper").then((module) => module.ReportOnPaper),
);

/** Brings the report that was asked for to paper, and takes it away after. */
export function PrintHost() {
  const job = useStore(printJob);
  return job && <ReportOnPaper job={job} onClose={clear} />;
}

function clear(): void {
  setPrintJob(null);
}
