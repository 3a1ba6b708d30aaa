import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { clsx } from "clsx";
import { CircleCheck, CircleX, Undo2 } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  UndoableDecision,
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { clockError } from "#/api/server-clock";
import { fuelKindWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Segmented } from "#/shared/ui/segmented";
import { Notice } from "#/shared/ui/notice";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useNotesText } from "#/shared/words/replaced-note";
import { useReasonText } from "#/shared/words/reject-reasons";
import { useUpdateText } from "#/shared/words/update-text";
import { CapturedOn } from "../captured-on";
import { EquipmentName } from "../equipment-name";
import { unitOf } from "../unit";
import { rowsOf, useEquipmentById, useUpdatePages } from "../queries";
import { MoreButton } from "../recent/more-button";
import { undoMs, useUndo } from "../use-undo";
import type { DecisionFilter } from "./search";
import { UndoOrVoid } from "./undo-or-void";
import { useAppliedText, useMeterDecisionText } from "./use-applied-text";

const pageSize = 25;

const statusOf: Record<DecisionFilter, UpdateStatus> = {
  applied: UpdateStatus.APPLIED,
  rejected: UpdateStatus.REJECTED,
  taken_back: UpdateStatus.TAKEN_BACK,
};

/** The company's decisions, last first. */
export function DecidedList({
  filter,
  blocked,
  onFilter,
  onDecideAgain,
}: {
  filter: DecisionFilter | undefined;
  blocked: string | undefined;
  onFilter: (filter: DecisionFilter | undefined) => void;
  /** Leads to an update that was taken back, where it can be applied again. */
  onDecideAgain: (id: string) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const statuses = filter ? [statusOf[filter]] : Object.values(statusOf);
  const query = useUpdatePages(statuses, pageSize, true);
  const updates = rowsOf(query);
  const equipment = useEquipmentById(updates);
  const isAutomatic = rowsOf(useUpdatePages([UpdateStatus.RECENT], 1)).length > 0;
  return (
    <>
      {isAutomatic && (
        <div className="mb-4">
          <Notice>
            {t("review.decided.automatic")}{" "}
            <Link
              to="/"
              className="font-semibold whitespace-nowrap text-accent underline underline-offset-3"
            >
              {t("shell.titles.dashboard")}
            </Link>
          </Notice>
        </div>
      )}
      <div className="mb-4 max-w-xl">
        <Segmented
          label={t("review.decided.filter")}
          hideLabel
          compact
          value={filter ?? "all"}
          options={[
            { value: "all", label: t("review.decided.all") },
            { value: "applied", label: t("review.decided.applied") },
            { value: "rejected", label: t("review.decided.rejected") },
            { value: "taken_back", label: t("review.takenBack.title") },
          ]}
          onChange={(next) => onFilter(next === "all" ? undefined : next)}
        />
      </div>
      <div className="@container rounded-card border border-line bg-raised">
        {query.error && (
          <div className="p-4">
            <ErrorPanel
              title={t("review.decided.failed")}
              reason={errorText(query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          </div>
        )}
        {query.isPending && <SkeletonRows rows={6} label={t("common.loading")} />}
        {query.isSuccess && updates.length === 0 && (
          <Empty
            drawing="history"
            title={t("review.decided.empty")}
            description={t("review.decided.emptyText")}
          />
        )}
        <ul aria-label={t("review.tabs.decided")} className="divide-y divide-line empty:hidden">
          {updates.map((update) => (
            <DecidedRow
              key={update.id}
              update={update}
              equipment={equipment?.get(update.equipmentId)}
              blocked={blocked}
              onDecideAgain={onDecideAgain}
            />
          ))}
        </ul>
        <MoreButton query={query} />
      </div>
    </>
  );
}

function DecidedRow({
  update,
  equipment,
  blocked,
  onDecideAgain,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  blocked: string | undefined;
  onDecideAgain: (id: string) => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const reasonText = useReasonText();
  const takenBack = update.status === UpdateStatus.TAKEN_BACK;
  const rejected = update.status === UpdateStatus.REJECTED;
  const Icon = takenBack || update.withdrawn ? Undo2 : rejected ? CircleX : CircleCheck;
  const captured = update.capturedAt ?? update.createdAt;
  const decided = update.takenBackAt ?? update.reviewedAt;
  const reason = takenBack ? update.takenBackReason : update.rejectReason;
  const by = { name: takenBack ? update.takenBackBy : update.reviewedBy };
  return (
    <li className="grid gap-x-4 gap-y-1.5 px-4 py-3 md:px-5 @min-[46rem]:grid-cols-4">
      <div className="min-w-0">
        <p className="font-semibold">
          <EquipmentName update={update} equipment={equipment} />
        </p>
        <p className="text-sm text-muted">
          {captured
            ? t("review.queue.by", {
                name: update.operatorName,
                when: format.instant(timestampDate(captured)),
              })
            : update.operatorName}
          <CapturedOn update={update} />
        </p>
      </div>
      <Figures update={update} equipment={equipment} />
      <div className="min-w-0 text-sm">
        <p className="flex gap-1.5 font-semibold">
          <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
          {takenBack
            ? t("review.decided.takenBackBy", by)
            : update.withdrawn
              ? t("review.decided.withdrawnBy", by)
              : rejected
                ? t("review.decided.rejectedBy", by)
                : t("review.decided.appliedBy", by)}
        </p>
        {reason && !update.withdrawn && <p className="pl-6">{reasonText(reason)}</p>}
        {decided && <p className="pl-6 text-muted">{format.instant(timestampDate(decided))}</p>}
      </div>
      <div className="@min-[46rem]:justify-self-end">
        {takenBack && (
          <Button size="small" onClick={() => onDecideAgain(update.id)}>
            {t("review.decided.again")}
          </Button>
        )}
        {!takenBack && !update.withdrawn && update.reviewedAt && (
          <Undo
            id={update.id}
            until={timestampMs(update.reviewedAt) + undoMs}
            // Entries of a retired machine can't be voided.
            applied={rejected || !equipment ? undefined : update}
            blocked={blocked}
          />
        )}
      </div>
    </li>
  );
}

/** What was sent, and what was applied if it differs. */
function Figures({
  update,
  equipment,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const notesText = useNotesText();
  const { newUsage, usageIncrease, appliedReading, appliedFuel, fuelAdded, notes } = update;
  const sentIn = unitOf(update, equipment);
  const sent =
    newUsage === undefined
      ? usageIncrease !== undefined && text.difference(0, usageIncrease, sentIn)
      : text.reading(newUsage, sentIn);
  const fuel = text.fuel(fuelAdded, fuelKindWord(update.fuelKind), update.fullFill);
  const changed = appliedReading !== undefined && appliedReading !== newUsage;
  const applied = useAppliedText()(update, equipment?.unit);
  const decision = useMeterDecisionText()(update, equipment?.unit);
  return (
    <div className="min-w-0">
      {sent && (
        <p className={changed ? "text-sm text-muted" : "font-semibold"}>
          {changed ? t("review.decided.sent", { sent }) : sent}
        </p>
      )}
      {fuelAdded > 0 && (
        <p className={clsx("text-sm", appliedFuel !== undefined && "text-muted")}>
          {appliedFuel === undefined ? fuel : t("review.decided.sent", { sent: fuel })}
        </p>
      )}
      {applied && (
        <p className="font-semibold">{t("review.decided.appliedAs", { reading: applied })}</p>
      )}
      {decision && <p className="text-sm text-muted">{decision}</p>}
      {update.reportedEquipmentName && (
        <p className="text-sm text-muted">
          {t("review.entry.moved", { name: update.reportedEquipmentName })}
        </p>
      )}
      {notes && <p className="text-sm whitespace-pre-line text-muted">{notesText(notes)}</p>}
    </div>
  );
}

function Undo({
  id,
  until,
  applied,
  blocked,
}: {
  id: string;
  /** By the server's clock, in milliseconds. */
  until: number;
  applied: OperatorUpdate | undefined;
  blocked: string | undefined;
}) {
  const { undo } = useUndo();
  const [pending, setPending] = useState(false);
  const press = async () => {
    setPending(true);
    await undo([id], UndoableDecision.UNSPECIFIED);
    setPending(false);
  };
  return (
    <UndoOrVoid
      until={until - (clockError(0) ?? 0)}
      applied={applied}
      pending={pending}
      disabledReason={blocked}
      onUndo={() => void press()}
    />
  );
}
