import { LimitDialog } from "./limit-dialog";
import { PlanDialog } from "./plan-dialog";
import type { Account } from "./queries";
import { RevealDialog } from "./reveal-dialog";
import { TrialDialog } from "./trial-dialog";

export type StaffDialog = "reveal" | "limit" | "trial" | "plan";

export function StaffDialogs({
  dialog,
  ...props
}: {
  dialog: StaffDialog;
  account: Account;
  onClose: () => void;
}) {
  switch (dialog) {
    case "reveal":
      return <RevealDialog {...props} />;
    case "limit":
      return <LimitDialog {...props} />;
    case "trial":
      return <TrialDialog {...props} />;
    case "plan":
      return <PlanDialog {...props} />;
  }
}
