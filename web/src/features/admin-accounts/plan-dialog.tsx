import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { BillingService, Tier } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { tierOf, tierWord } from "#/domain/subscription-words";
import { useReauthTransport } from "#/session/reauth-transport";
import { useWrite } from "#/shared/form/use-write";
import { usePlanText } from "#/shared/words/plan-text";
import { FormDialog } from "#/shared/form/form-dialog";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { Segmented } from "#/shared/ui/segmented";
import { expiryOf, usePutSubscription, type Account } from "./queries";
import { maxPlanDays, planSchema, planTiers, readDays } from "./schema";
import { useDaysHint } from "./use-days-hint";
import { useStaffRefusal } from "./use-staff-refusal";

/** Sets a plan that was agreed outside the product. */
export function PlanDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const plan = usePlanText();
  const put = usePutSubscription();
  const name = account.company.businessName;
  const form = useAppForm(planSchema, {
    tier: tierWord(account.billed?.subscription?.entitlements?.tier ?? Tier.UNSPECIFIED),
    days: "",
    reason: "",
  });
  const tier = useController({ control: form.control, name: "tier" }).field;
  const save = useWrite(BillingService.method.setPlan, {
    transport: useReauthTransport(),
    onSuccess: ({ subscription }, { tier = Tier.UNSPECIFIED }) => {
      put(subscription);
      const end = expiryOf(subscription);
      const until = end && format.instantDay(end);
      const texts = { name, plan: plan.name(tierWord(tier)) };
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
  const hint = useDaysHint(readDays(form.watch("days"), maxPlanDays), {
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
        const count = readDays(days, maxPlanDays);
        if (count === null) return;
        const request = { companyId: account.id, tier: tierOf(tier), days: count };
        save.mutate({ ...request, reason: reason.trim() });
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
