import { clsx } from "clsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { key } from "#/i18n/key";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import type { Decisions } from "../use-decisions";
import { useSummaryTexts, type DecideMany } from "./use-decide-many";

/** `shared/words/reject-reasons.ts` translates them. */
const suggestions = [
  key("review.reasons.wrongMachine"),
  key("review.reasons.typingError"),
  key("review.reasons.duplicate"),
  key("review.reasons.machineGone"),
];

const rejectSchema = v.object({
  reason: v.pipe(v.string(), v.trim(), v.nonEmpty(key("review.reject.required"))),
});

interface OfOne {
  update: OperatorUpdate;
  decisions: Decisions;
  onClose: () => void;
}

export function RejectDialog(props: OfOne) {
  const { t } = useTranslation();
  const { equipmentName: name, operatorName: operator } = props.update;
  return (
    <OneDialog
      {...props}
      decide={props.decisions.reject}
      title={t("review.reject.title")}
      description={t("review.reject.text", { name, operator })}
      submitLabel={t("review.reject.submit")}
      pendingLabel={t("review.reject.pending")}
      maxLength={1000}
    />
  );
}

/** Voids the entry of an automatically applied update. */
export function TakeBackDialog(props: OfOne) {
  const { t } = useTranslation();
  const { equipmentName: name, operatorName: operator } = props.update;
  return (
    <OneDialog
      {...props}
      decide={props.decisions.takeBack}
      title={t("review.takeBack.title")}
      description={t("review.takeBack.text", { name, operator })}
      submitLabel={t("review.takeBack.submit")}
      pendingLabel={t("review.takeBack.pending")}
      maxLength={500}
    />
  );
}

function OneDialog({
  update,
  decisions,
  onClose,
  decide,
  ...words
}: OfOne & Words & { decide: (update: OperatorUpdate, reason: string) => Promise<boolean> }) {
  const { t } = useTranslation();
  const [failed, setFailed] = useState(false);
  const submit = async (reason: string) => {
    setFailed(false);
    const done = await decide(update, reason);
    if (done) onClose();
    else setFailed(true);
  };
  return (
    <ReasonDialog
      {...words}
      onReason={(reason) => void submit(reason)}
      loading={decisions.isBusy(update.id)}
      submitError={failed ? (decisions.problemOf(update.id) ?? t("errors.server")) : null}
      onClose={onClose}
    />
  );
}

/** One reason for many updates; stays open with the reason if none was rejected. */
export function RejectManyDialog({
  ids,
  many,
  onRejected,
  onClose,
}: {
  ids: readonly string[];
  many: DecideMany;
  onRejected: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const texts = useSummaryTexts();
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (reason: string) => {
    setProblem(null);
    const outcome = await many.reject(ids, reason);
    if (outcome?.done.length === 0) {
      return setProblem(texts(outcome).problems.join(" ") || t("review.summary.busy"));
    }
    if (outcome) onRejected();
    onClose();
  };
  return (
    <ReasonDialog
      title={t("review.reject.titleMany", { count: ids.length })}
      description={t("review.reject.textMany")}
      submitLabel={t("review.reject.submit")}
      pendingLabel={t("review.reject.pending")}
      maxLength={1000}
      onReason={(reason) => void submit(reason)}
      loading={many.progress !== null}
      submitError={problem}
      onClose={onClose}
    />
  );
}

interface Words {
  title: string;
  description: string;
  submitLabel: string;
  pendingLabel: string;
  maxLength: number;
}

function ReasonDialog({
  title,
  description,
  submitLabel,
  pendingLabel,
  maxLength,
  onReason,
  loading,
  submitError,
  onClose,
}: Words & {
  onReason: (reason: string) => void;
  loading: boolean;
  submitError: string | null;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const form = useAppForm(rejectSchema, { reason: "" });
  const written = form.watch("reason").trim();
  return (
    <FormDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      description={description}
      onSubmit={form.handleSubmit(({ reason }) => onReason(reason))}
      loading={loading}
      submitError={submitError}
      submitTone="danger"
      submitLabel={submitLabel}
      pendingLabel={pendingLabel}
    >
      <div
        role="group"
        aria-label={t("review.reject.suggestions")}
        className="flex flex-wrap gap-2"
      >
        {suggestions.map((reason) => {
          const chosen = written === t(reason);
          return (
            <button
              key={reason}
              type="button"
              aria-pressed={chosen}
              onClick={() =>
                form.setValue("reason", chosen ? "" : t(reason), { shouldValidate: !chosen })
              }
              className={clsx(
                "inline-flex h-11 items-center rounded-full border px-4 text-sm font-semibold desk:h-8 desk:px-3",
                chosen
                  ? "border-accent bg-accent text-accent-on"
                  : "border-control-line bg-raised hover:bg-sunken",
              )}
            >
              {t(reason)}
            </button>
          );
        })}
      </div>
      <TextAreaField
        control={form.control}
        name="reason"
        label={t("review.reject.reason")}
        placeholder={t("review.reject.placeholder")}
        maxLength={maxLength}
        rows={2}
      />
    </FormDialog>
  );
}
