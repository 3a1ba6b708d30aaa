import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { ReauthCancelled, withReauth } from "#/session/reauth";
import { updateUser, useSession } from "#/session/session";
import { key } from "#/i18n/key";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import { PageHeader } from "#/shared/ui/page-header";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { saveSecurityQuestions, securityQuestionListQuery } from "./calls";
import { useQuestionText } from "./question-text";
import { securityQuestionsSchema } from "./schema";

export function SecurityQuestionsPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const list = useQuery(securityQuestionListQuery);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("auth.questions.title")} description={t("auth.questions.subtitle")} />
      {list.isError ? (
        <ErrorPanel
          title={t("auth.questions.loadFailed")}
          reason={errorText(list.error)}
          onRetry={() => void list.refetch()}
          retrying={list.isFetching}
        />
      ) : (
        <Card>
          {list.data ? (
            <QuestionsForm questions={list.data} />
          ) : (
            <SkeletonRows rows={4} label={t("common.loading")} />
          )}
        </Card>
      )}
    </div>
  );
}

const fieldNames = [
  "securityQuestion1",
  "securityAnswer1",
  "securityQuestion2",
  "securityAnswer2",
] as const;
const sameMessage = key("auth.questions.same");

function QuestionsForm({ questions }: { questions: readonly string[] }) {
  const { t } = useTranslation();
  const questionText = useQuestionText();
  // The state on arrival: saving must not change the page while it navigates away.
  const [changing] = useState(useSession()?.securityQuestionsSet ?? false);
  const { form, save, submit, submitError } = useQuestionsForm(changing ? "/profile" : "/");
  const [first, second] = form.watch(["securityQuestion1", "securityQuestion2"]);
  const options = (taken: string) =>
    questions.map((question) => ({
      value: question,
      label: questionText(question),
      disabled: question === taken,
    }));
  return (
    <FormPage
      onSubmit={submit}
      loading={save.isPending}
      submitError={submitError}
      toasted
      submitLabel={t("auth.questions.submit")}
      pendingLabel={t("auth.questions.pending")}
      secondary={
        <Button asChild>
          {changing ? (
            <Link to="/profile">{t("auth.questions.cancel")}</Link>
          ) : (
            <Link to="/">{t("auth.questions.skip")}</Link>
          )}
        </Button>
      }
    >
      {changing ? (
        <Notice>{t("auth.questions.again")}</Notice>
      ) : (
        <p className="text-muted">{t("auth.questions.without")}</p>
      )}
      <SelectField
        control={form.control}
        name="securityQuestion1"
        label={t("auth.questions.question1")}
        placeholder={t("auth.questions.choose")}
        options={options(second)}
      />
      <TextField
        control={form.control}
        name="securityAnswer1"
        label={t("auth.questions.answer1")}
        hint={t("auth.questions.answerHint")}
        maxLength={100}
      />
      <SelectField
        control={form.control}
        name="securityQuestion2"
        label={t("auth.questions.question2")}
        placeholder={t("auth.questions.choose")}
        options={options(first)}
      />
      <TextField
        control={form.control}
        name="securityAnswer2"
        label={t("auth.questions.answer2")}
        maxLength={100}
      />
    </FormPage>
  );
}

function useQuestionsForm(next: "/" | "/profile") {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const client = useQueryClient();
  const form = useAppForm(securityQuestionsSchema, {
    securityQuestion1: "",
    securityAnswer1: "",
    securityQuestion2: "",
    securityAnswer2: "",
  });
  const save = useSecretMutation({
    mutationFn: (values: Parameters<typeof saveSecurityQuestions>[0]) =>
      withReauth(() => saveSecurityQuestions(values)),
    onSuccess: async (user) => {
      updateUser(client, () => user);
      toast.success(t("auth.questions.saved"));
      await router.navigate({ to: next });
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      showFieldErrors(form, error, fieldNames);
      toast.failure(t("auth.questions.failed"), errorText(error, "auth.questions.failedText"));
    },
  });
  const { errors } = form.formState;
  const missing = Object.values(errors).some(
    (error) => error.type !== "server" && error.message !== sameMessage,
  );
  const refused = save.error && !(save.error instanceof ReauthCancelled) ? save.error : null;
  const submit = form.handleSubmit(
    (values) => save.mutate(values),
    (found) => {
      const onlySame = Object.values(found).every((error) => error.message === sameMessage);
      toast.failure(onlySame ? t("auth.questions.same") : t("auth.questions.missing"));
    },
  );
  const submitError = missing
    ? t("auth.questions.missing")
    : refused && errorText(refused, "auth.questions.failedText");
  return { form, save, submit, submitError };
}
