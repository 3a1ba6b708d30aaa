import { clsx } from "clsx";
import { CircleCheck, TriangleAlert, X } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { useReasonText } from "#/shared/words/reject-reasons";
import { Button } from "#/shared/ui/button";
import { UnitNumber } from "#/shared/ui/unit-number";
import { phaseOf } from "../send/outbox";
import { correctionOfUpdate, type Correction } from "../form/correction";
import type { OutboxEntry } from "../send/outbox-entry";
import type { OwnUpdate } from "../offline-data/own-update";
import { AppliedLine } from "./applied-line";
import { UpdateActions } from "./update-actions";
import { factsOfEntry, useFactsLine } from "./update-facts";
import { stateOfUpdate, StateLine, type EntryState } from "./state-line";
import type { OperatorPageState } from "../use-operator-page";
import { useOutboxState } from "../send/outbox-state";

/** The entry just submitted, with its state. */
export function LastSubmitted({
  page,
  entry,
  onCorrect,
  onClose,
}: {
  page: OperatorPageState;
  entry: OutboxEntry;
  onCorrect: (correction: Correction) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const factsLine = useFactsLine();
  const { state, reason, lost, sent } = useStateOf(page, entry);
  const title = t(titleOf(state, lost));
  const textId = useId();
  const element = useRef<HTMLDivElement>(null);
  // Focus scrolls it into view, and screen readers read it.
  useEffect(() => element.current?.focus(), []);
  const machine = page.machineOf(entry.equipmentId);
  const unit = machine?.unit ?? "n/a";
  return (
    <div
      ref={element}
      tabIndex={-1}
      role="group"
      aria-label={title}
      aria-describedby={textId}
      className="mb-5 flex scroll-mt-32 gap-3 rounded-card border border-line bg-raised p-4 outline-none"
    >
      {lost ? (
        <TriangleAlert aria-hidden className="mt-0.5 size-6 shrink-0 text-danger" />
      ) : (
        <CircleCheck
          aria-hidden
          className={clsx(
            "mt-0.5 size-6 shrink-0",
            unaccepted.has(state) ? "text-muted" : "text-good-mark",
          )}
        />
      )}
      <div id={textId} className="min-w-0 flex-1">
        <p aria-hidden className="text-sm font-semibold">
          {title}
        </p>
        <p className="font-semibold break-words">
          <UnitNumber number={machine?.unitNumber} />
          {entry.equipmentName}
        </p>
        <p className="break-words">{factsLine(factsOfEntry(entry, unit))}</p>
        <StateLine state={state} className="mt-1" />
        {lost ? (
          <p className="text-sm">{t("device.notKept")}</p>
        ) : (
          state === "phone" && <p className="text-sm text-muted">{t("operator.kept.phone")}</p>
        )}
        {sent && <AppliedLine update={sent} unit={unit} />}
        {reason && (
          <p className="text-sm">
            {t("updates.status.rejectedReason", { reason: reasonText(reason) })}
          </p>
        )}
        {sent && (
          <UpdateActions
            update={sent}
            unit={unit}
            corrected={false}
            onCorrect={() => onCorrect(correctionOfUpdate(sent))}
          />
        )}
      </div>
      <Button
        variant="quiet"
        icon
        aria-label={t("common.dismiss")}
        onClick={onClose}
        className="-mt-2 -mr-2"
      >
        <X aria-hidden className="size-5" />
      </Button>
    </div>
  );
}

const unaccepted: ReadonlySet<EntryState> = new Set(["rejected", "refused", "withdrawn"]);

function titleOf(state: EntryState, lost: boolean): TextKey {
  if (lost) return key("operator.kept.lost");
  if (state === "withdrawn") return key("phone.withdraw.done");
  const isHere = state === "phone" || state === "sending" || state === "refused";
  return isHere ? key("operator.kept.title") : key("operator.toast.submitted");
}

interface SubmittedState {
  state: EntryState;
  reason: string | null;
  /** Unsent and only in memory. */
  lost: boolean;
  /** As the server has it. */
  sent: OwnUpdate | undefined;
}

function useStateOf(
  { outbox, history }: OperatorPageState,
  { clientId }: OutboxEntry,
): SubmittedState {
  const outboxState = useOutboxState(outbox);
  const unsent = outboxState.entries.find((entry) => entry.clientId === clientId);
  if (unsent) {
    const state = phaseOf(outboxState, unsent);
    return { state, reason: unsent.reason, lost: !outboxState.durable, sent: undefined };
  }
  const sent = history.updates.find((update) => update.clientId === clientId);
  if (!sent) return { state: "sent", reason: null, lost: false, sent };
  const reason = sent.withdrawn ? null : sent.rejectReason;
  return { state: stateOfUpdate(sent), reason, lost: false, sent };
}
