import { useMutation } from "@tanstack/react-query";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { withReauth } from "#/session/reauth";
import type { Tier } from "#/domain/plan";
import { usePlanText } from "#/shared/words/plan-text";
import { FormDialog } from "#/shared/form/form-dialog";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { Segmented } from "#/shared/ui/segmented";
import { setPlan, usePutAccount, type Account } from "./queries";
import { mostPlanDays, planSchema, planTiers, readDays } from "./schema";
import { useDaysHint } from "./use-days-hint";
import { useStaffRefusal } from "./use-staff-refusal";

/** Gives a company a plan that was agreed on outside the product. */
export function PlanDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const plan = usePlanText();
  const put = usePutAccount();
  const name = account.business_name;
  const form = useAppForm(planSchema, {
    tier: planTiers.find((tier) => tier === account.subscription_tier) ?? "basic",
    days: "",
    reason: "",
  });
  const tier = useController({ control: form.control, name: "tier" }).field;
  const save = useMutation({
    mutationFn: ({ tier, days, reason }: { tier: Tier; days: number; reason: string }) =>
      withReauth(() => setPlan(account.id, tier, days, reason)),
    onSuccess: (changed, { tier }) => {
      put(changed);
      const until = changed.subscription_expiry && format.instantDay(changed.subscription_expiry);
      const texts = { name, plan: plan.name(tier) };
      toast.success(
        t("admin-accounts.plan.done"),
        until
          ? t("admin-accounts.plan.doneUntil", { ...texts, date: until })
          : t("admin-accounts.plan.doneText", texts),
      );
      onClose();
    },
    onError: (error) => showFieldErrors(form, error, ["tier", "days", "reason"]),
  });
  const refusal = useStaffRefusal(save.error, {
    state: t("admin-accounts.plan.state"),
    failed: "admin-accounts.plan.failed",
  });
  const hint = useDaysHint(readDays(form.watch("days"), mostPlanDays), {
    none: t("admin-accounts.plan.daysHint"),
    until: (date) => t("admin-accounts.plan.until", { date }),
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("admin-accounts.plan.title", { name })}
      description={t("admin-accounts.plan.text")}
      onSubmit={form.handleSubmit(({ tier, days, reason }) => {
        const count = readDays(days, mostPlanDays);
        if (count !== null) save.mutate({ tier, days: count, reason: reason.trim() });
      })}
      loading={save.isPending}
      submitError={refusal}
      submitLabel={t("admin-accounts.plan.submit")}
      pendingLabel={t("admin-accounts.plan.pending")}
    >
      <Segmented
        label={t("admin-accounts.plan.tier")}
        value={tier.value}
        options={planTiers.map((value) => ({ value, label: plan.name(value) }))}
        onChange={tier.onChange}
      />
      <NumberField
        control={form.control}
        name="days"
        label={t("admin-accounts.plan.days")}
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
