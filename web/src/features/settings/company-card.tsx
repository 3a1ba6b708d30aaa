import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { CompanySettings } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { key } from "#/i18n/key";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { LeaveGuard } from "#/shared/form/leave-guard";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { Card } from "#/shared/ui/card";
import { TimeZoneField } from "./time-zone-field";
import { useSaveSettings, type SettingsChange } from "./use-save-settings";

const companySchema = v.object({
  companyName: v.pipe(
    v.string(),
    v.check((text) => Array.from(text.trim()).length >= 2, key("operators.settings.nameShort")),
  ),
  timeZone: v.string(),
});

type CompanyValues = v.InferOutput<typeof companySchema>;

/** Only changed values are sent: a name needs a recent sign-in, a time zone does not. */
function changeOf(values: CompanyValues, settings: CompanySettings): SettingsChange {
  const name = values.companyName.trim();
  return {
    ...(name === settings.companyName ? {} : { companyName: name }),
    ...(values.timeZone === settings.timeZone ? {} : { timeZone: values.timeZone }),
  };
}

export function CompanyCard({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { companyName, timeZone } = settings;
  const form = useAppForm(companySchema, { companyName, timeZone });
  const save = useSaveSettings();
  const { isDirty } = form.formState;
  const submit = (values: CompanyValues) => {
    const change = changeOf(values, settings);
    if (Object.keys(change).length === 0) {
      form.reset({ companyName, timeZone });
      return;
    }
    save.mutate(change, {
      onSuccess: () => form.reset({ ...values, companyName: values.companyName.trim() }),
      onError: (error) => {
        showFieldErrors(form, error, ["companyName", "timeZone"]);
        const failure = toFailure(error);
        if (failure.status === 409 && Object.keys(failure.fields).length === 0) {
          form.setError("companyName", { message: errorText(error) }, { shouldFocus: true });
        }
      },
    });
  };
  return (
    <Card title={t("settings.company.title")} description={t("settings.company.text")}>
      <LeaveGuard dirty={() => isDirty && !save.isPending} />
      <FormPage
        onSubmit={form.handleSubmit(submit)}
        loading={save.isPending}
        submitError={save.error && errorText(save.error)}
        submitLabel={t("settings.save")}
        pendingLabel={t("operators.settings.pending")}
        disabledReason={isDirty ? undefined : t("settings.unchanged")}
      >
        <TextField
          control={form.control}
          name="companyName"
          label={t("operators.settings.companyName")}
          hint={t("operators.settings.nameHint")}
          autoComplete="organization"
          maxLength={100}
        />
        <TimeZoneField
          control={form.control}
          name="timeZone"
          label={t("settings.company.timeZone")}
        />
      </FormPage>
    </Card>
  );
}
