import { useEffect, useState } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { LeaveGuard } from "#/shared/form/leave-guard";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { Button } from "#/shared/ui/button";
import {
  changeOf,
  isChanged,
  profileFields,
  profileSchema,
  profileValues,
  type ProfileRules,
  type ProfileValues,
} from "./schema";
import { useSaveProfile } from "./use-save-profile";

export function EditForm({
  user,
  rules,
  onClose,
}: {
  user: User;
  rules: ProfileRules;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [schema] = useState(() => profileSchema(rules));
  const form = useAppForm<ProfileValues>(schema, profileValues(user));
  const changed = isChanged(changeOf({ ...profileValues(user), ...useWatch(form) }, user));
  const { save, error } = useSaveProfile({
    onDone: onClose,
    onRefused: (reason, part) => {
      showFieldErrors(form, reason, profileFields);
      const failure = toFailure(reason);
      if (failure.status !== 409 || Object.keys(failure.fields).length > 0) return;
      const taken = part === "company" ? "companyName" : "email";
      form.setError(taken, { message: errorText(reason) }, { shouldFocus: true });
    },
  });
  const submit = (values: ProfileValues) => {
    if (!save.isPending) save.mutate(changeOf(values, user));
  };
  const { setFocus } = form;
  useEffect(() => setFocus("firstName"), [setFocus]);
  return (
    <>
      <LeaveGuard dirty={() => changed && !save.isPending} />
      <FormPage
        onSubmit={form.handleSubmit(submit)}
        loading={save.isPending}
        submitError={error}
        toasted
        submitLabel={t("profile.edit.save")}
        pendingLabel={t("profile.edit.saving")}
        disabledReason={changed ? undefined : t("settings.unchanged")}
        secondary={
          <Button
            onClick={() => {
              if (!save.isPending) onClose();
            }}
          >
            {t("common.cancel")}
          </Button>
        }
      >
        <Fields control={form.control} {...rules} />
      </FormPage>
    </>
  );
}

function Fields({
  control,
  manages,
  needsName,
}: ProfileRules & { control: ReturnType<typeof useAppForm<ProfileValues>>["control"] }) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <TextField
        control={control}
        name="firstName"
        label={t("profile.firstName")}
        optional={!needsName}
        autoComplete="given-name"
        maxLength={100}
      />
      <TextField
        control={control}
        name="lastName"
        label={t("profile.lastName")}
        optional={!needsName}
        autoComplete="family-name"
        maxLength={100}
      />
      <TextField
        control={control}
        name="email"
        type="email"
        label={t("profile.email")}
        hint={manages ? t("profile.edit.emailHint") : t("profile.edit.contactHint")}
        optional={!manages}
        autoComplete="email"
        maxLength={254}
      />
      <TextField
        control={control}
        name="secondaryEmail"
        type="email"
        label={t("profile.secondaryEmail")}
        hint={t("profile.edit.secondaryHint")}
        optional
        maxLength={254}
      />
      {manages && (
        <div className="md:col-span-2">
          <TextField
            control={control}
            name="companyName"
            label={t("profile.companyName")}
            hint={t("profile.edit.companyHint")}
            autoComplete="organization"
            maxLength={100}
          />
        </div>
      )}
    </div>
  );
}
