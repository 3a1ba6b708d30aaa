import { useTranslation } from "react-i18next";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { useReauthTransport } from "#/session/reauth-transport";
import { FormDialog } from "#/shared/form/form-dialog";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { expiryOf, usePutSubscription, type Account } from "./queries";
import { maxTrialDays, readDays, trialSchema } from "./schema";
import { useDaysHint } from "./use-days-hint";
import { useStaffRefusal } from "./use-staff-refusal";

/** Extends a trial, also one that has ended. */
export function TrialDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const put = usePutSubscription();
  const name = account.company.businessName;
  const form = useAppForm(trialSchema, { days: "", reason: "" });
  const save = useWrite(BillingService.method.extendTrial, {
    transport: useReauthTransport(),
    onSuccess: ({ subscription }) => {
      put(subscription);
      const end = expiryOf(subscription);
      const date = end && format.instantDay(end);
      toast.success(
        t("admin-accounts.trial.done"),
        date ? t("admin-accounts.trial.doneText", { name, date }) : undefined,
      );
      onClose();
    },
    onError: (error) => showFieldErrors(form, error, ["days", "reason"]),
  });
  const refusal = useStaffRefusal(save.error, {
    state: t("admin-accounts.trial.state"),
    failed: "admin-accounts.trial.failed",
  });
  const hint = useDaysHint(readDays(form.watch("days"), maxTrialDays), {
    none: t("admin-accounts.trial.daysHint"),
    until: (date) => t("admin-accounts.trial.until", { date }),
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("admin-accounts.trial.title", { name })}
      description={t("admin-accounts.trial.text")}
      onSubmit={form.handleSubmit(({ days, reason }) => {
        const count = readDays(days, maxTrialDays);
        if (count !== null) {
          save.mutate({ companyId: account.id, days: count, reason: reason.trim() });
        }
      })}
      loading={save.isPending}
      submitError={refusal}
      submitLabel={t("admin-accounts.trial.submit")}
      pendingLabel={t("admin-accounts.trial.pending")}
    >
      <NumberField
        control={form.control}
        name="days"
        label={t("admin-accounts.trial.days")}
        hint={hint}
        whole
      />
      <TextAreaField
        control={form.control}
        name="reason"
        label={t("admin-accounts.reason.label")}
        hint={t("admin-accounts.reason.hint")}
        maxLength={600}
      />
    </FormDialog>
  );
}
