import { useStore } from "../store";
import { dialogOnDemand } from "../ui/dialog-on-demand";
import { printJob, setPrintJob } from "./store";

const ReportOnPaper = dialogOnDemand(() =>
  import("./report-on-paper").then((module) => module.ReportOnPaper),
);

/** Prints the requested report, then removes it. */
export function PrintHost() {
  const job = useStore(printJob);
  return job && <ReportOnPaper job={job} onClose={clear} />;
}

function clear(): void {
  setPrintJob(null);
}
