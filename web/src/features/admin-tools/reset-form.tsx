import type { FieldErrors } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useRoleLabel } from "#/shared/words/role-label";
import { PasswordField } from "#/shared/form/fields/password-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { FormPage } from "#/shared/form/form-page";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { loginOf, nameOf, roleWord } from "./people";
import { blankReset, resetSchema, type ResetValues } from "./schema";
import { SharedPassword } from "./shared-password";
import { useResetPassword } from "./use-reset-password";

/** Remounted after each success, so that no password stays in memory. */
export function ResetForm({
  people,
  person,
  onDone,
}: {
  people: readonly Employee[];
  /** The only choice, which is not shown. */
  person?: Employee;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const roleLabel = useRoleLabel();
  const form = useAppForm(resetSchema, { ...blankReset, userId: person?.id ?? "" });
  const chosenId = form.watch("userId");
  const chosen = people.find(({ id }) => id === chosenId);
  const { run, pending, error } = useResetPassword({
    doneText: () => t("admin-tools.doneText", { name: chosen ? nameOf(chosen) : "" }),
    onDone,
    onRefused: (refusal) => showFieldErrors(form, refusal, ["newPassword", "userId"]),
  });
  const refuse = (errors: FieldErrors<ResetValues>) => {
    if (errors.userId) {
      toast.failure(t("admin-tools.userRequired"), t("admin-tools.userRequiredText"));
    } else if (errors.newPassword) {
      const long = form.getValues("newPassword").length > 128;
      toast.failure(
        long ? t("admin-tools.long") : t("admin-tools.short"),
        long ? t("admin-tools.longText") : t("admin-tools.shortText"),
      );
    } else toast.failure(t("admin-tools.mismatch"), t("admin-tools.mismatchText"));
  };
  return (
    <>
      <FormPage
        onSubmit={form.handleSubmit(
          ({ userId, newPassword }) => run({ userId, newPassword }),
          refuse,
        )}
        loading={pending}
        submitError={error}
        toasted
        submitLabel={t("admin-tools.submit")}
        pendingLabel={t("admin-tools.pending")}
      >
        <div className="grid gap-4 @min-[52rem]:grid-cols-3">
          {!person && (
            <SelectField
              control={form.control}
              name="userId"
              label={t("admin-tools.user")}
              placeholder={t("admin-tools.choose")}
              options={people.map((each) => ({
                value: each.id,
                label: t("admin-tools.person", {
                  name: nameOf(each),
                  role: roleLabel(roleWord(each.role)),
                  login: loginOf(each),
                }),
              }))}
            />
          )}
          <PasswordField
            control={form.control}
            name="newPassword"
            label={t("admin-tools.newPassword")}
            hint={t("admin-tools.passwordHint")}
            autoComplete="new-password"
          />
          <PasswordField
            control={form.control}
            name="confirmation"
            label={t("admin-tools.confirmation")}
            autoComplete="new-password"
          />
        </div>
      </FormPage>
      {chosen?.hasPersonalPassword && (
        <SharedPassword key={chosen.id} person={chosen} onDone={onDone} />
      )}
    </>
  );
}
