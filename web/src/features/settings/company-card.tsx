import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { FuelUnit, type CompanySettings } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { key } from "#/i18n/key";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { LeaveGuard } from "#/shared/form/leave-guard";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { fuelUnits } from "#/session/user";
import { Card } from "#/shared/ui/card";
import { TimeZoneField } from "./time-zone-field";
import { useSaveSettings, type SettingsChange } from "./use-save-settings";

/** Days from 0 to 365. */
function isStaleAfterDays(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= 365;
}

const companySchema = v.object({
  companyName: v.pipe(
    v.string(),
    v.check((text) => Array.from(text.trim()).length >= 2, key("operators.settings.nameShort")),
  ),
  timeZone: v.string(),
  fuelUnit: v.picklist(fuelUnits),
  staleAfterDays: v.pipe(
    v.string(),
    v.check((text) => isStaleAfterDays(text), key("settings.company.staleAfterRange")),
  ),
});

type CompanyValues = v.InferOutput<typeof companySchema>;

function valuesOf(settings: CompanySettings): CompanyValues {
  const { companyName, timeZone, fuelUnit, staleAfterDays } = settings;
  return {
    companyName,
    timeZone,
    fuelUnit: fuelUnit === FuelUnit.LITRES ? "litres" : "gallons",
    staleAfterDays: String(staleAfterDays),
  };
}

/** Only changed values are sent: a name needs a recent sign-in, a time zone does not. */
function changeOf(values: CompanyValues, settings: CompanySettings): SettingsChange {
  const saved = valuesOf(settings);
  const name = values.companyName.trim();
  const days = Number(values.staleAfterDays);
  const unit = values.fuelUnit === "litres" ? FuelUnit.LITRES : FuelUnit.GALLONS;
  return {
    ...(name === saved.companyName ? {} : { companyName: name }),
    ...(values.timeZone === saved.timeZone ? {} : { timeZone: values.timeZone }),
    ...(values.fuelUnit === saved.fuelUnit ? {} : { fuelUnit: unit }),
    ...(days === settings.staleAfterDays ? {} : { staleAfterDays: days }),
  };
}

export function CompanyCard({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useAppForm(companySchema, valuesOf(settings));
  const save = useSaveSettings();
  const { isDirty } = form.formState;
  const submit = (values: CompanyValues) => {
    const change = changeOf(values, settings);
    if (Object.keys(change).length === 0) {
      form.reset(valuesOf(settings));
      return;
    }
    save.mutate(change, {
      onSuccess: () => form.reset({ ...values, companyName: values.companyName.trim() }),
      onError: (error) => {
        showFieldErrors(form, error, ["companyName", "timeZone", "staleAfterDays"]);
        const failure = toFailure(error);
        if (failure.status === 409 && Object.keys(failure.fields).length === 0) {
          form.setError("companyName", { message: errorText(error) }, { shouldFocus: true });
        }
      },
    });
  };
  return (
    <Card id="company" title={t("settings.company.title")} description={t("settings.company.text")}>
      <LeaveGuard dirty={() => isDirty && !save.isPending} />
      <FormPage
        onSubmit={form.handleSubmit(submit)}
        loading={save.isPending}
        submitError={save.error && errorText(save.error)}
        toasted
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
        <SelectField
          control={form.control}
          name="fuelUnit"
          label={t("settings.company.fuelUnit")}
          hint={t("settings.company.fuelUnitText")}
          options={[
            { value: "gallons", label: t("settings.company.gallons") },
            { value: "litres", label: t("settings.company.litres") },
          ]}
        />
        <NumberField
          control={form.control}
          name="staleAfterDays"
          label={t("settings.company.staleAfter")}
          hint={t("settings.company.staleAfterText")}
          unit={t("settings.company.days")}
          whole
        />
      </FormPage>
    </Card>
  );
}
