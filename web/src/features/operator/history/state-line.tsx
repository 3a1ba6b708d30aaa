import { clsx } from "clsx";
import {
  CircleCheck,
  CircleX,
  CloudUpload,
  Hourglass,
  Smartphone,
  TriangleAlert,
  Undo2,
  Zap,
  type LucideIcon,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import type { OwnUpdate } from "../offline-data/own-update";

/** State of an entry from this device to the manager's decision. */
export type EntryState =
  | "phone"
  | "sending"
  | "refused"
  | "sent"
  | "applied"
  | "recent"
  | "rejected"
  | "withdrawn"
  | "taken_back";

interface StateStyle {
  icon: LucideIcon;
  text: TextKey;
  tone: string;
}

const stateStyles: Record<EntryState, StateStyle> = {
  phone: { icon: Smartphone, text: key("operator.outbox.waitingState"), tone: "text-ink" },
  sending: { icon: CloudUpload, text: key("operator.outbox.sending"), tone: "text-ink" },
  refused: { icon: TriangleAlert, text: key("operator.outbox.refusedState"), tone: "text-danger" },
  sent: { icon: Hourglass, text: key("updates.status.pending"), tone: "text-muted" },
  applied: { icon: CircleCheck, text: key("updates.status.applied"), tone: "text-ink" },
  recent: { icon: Zap, text: key("updates.status.recent"), tone: "text-ink" },
  rejected: { icon: CircleX, text: key("updates.status.rejected"), tone: "text-danger" },
  withdrawn: { icon: Undo2, text: key("phone.withdraw.done"), tone: "text-muted" },
  taken_back: { icon: Undo2, text: key("updates.status.takenBack"), tone: "text-danger" },
};

export const stateOfUpdate = ({ status, withdrawn }: OwnUpdate): EntryState =>
  status === "pending" ? "sent" : withdrawn ? "withdrawn" : status;

/** Icon and text, so that color is not the only sign. */
export function StateLine({ state, className }: { state: EntryState; className?: string }) {
  const { t } = useTranslation();
  const { icon: Icon, text, tone } = stateStyles[state];
  return (
    <p className={clsx("flex items-center gap-2 text-sm font-semibold", tone, className)}>
      <Icon aria-hidden className="size-4 shrink-0" />
      {t(text)}
    </p>
  );
}
