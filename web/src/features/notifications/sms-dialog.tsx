import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { SettingsService } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { SmsService } from "#/api/gen/hourmeter/notifications/v1/sms_pb";
import { audienceOf } from "#/domain/permissions";
import { currentLanguage } from "#/i18n";
import { key } from "#/i18n/key";
import { useSession } from "#/session/session";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { useWrite, useWriteTransport } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { settingsQuery, smsNumberQuery } from "./queries";
import { settingsOf, settingsValues } from "./settings-schema";
import { smsKinds } from "./sms-kinds";

/** Sets the number, verifies it and asks what is sent there. */
export function SmsDialog({
  number: stored,
  verified,
  onClose,
}: {
  /** Empty: none. */
  number: string;
  verified: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const isOperator = audienceOf(useSession()) === "operator";
  const [number, setNumber] = useState(stored);
  const [step, setStep] = useState<"number" | "code" | "kinds">(
    stored && !verified ? "code" : "number",
  );
  const settings = useQuery(settingsQuery(useTransport())).data?.settings;
  const isChosen = smsKinds(isOperator).some(({ name }) => settings?.[name]);
  switch (step) {
    case "number":
      return (
        <NumberStep
          number={number}
          onSent={(to) => {
            setNumber(to);
            setStep("code");
          }}
          onClose={onClose}
        />
      );
    case "code":
      return (
        <CodeStep
          number={number}
          onVerified={() => {
            if (!isChosen) return setStep("kinds");
            toast.success(t("notifications.sms.verified"));
            onClose();
          }}
          onChange={() => setStep("number")}
          onClose={onClose}
        />
      );
    case "kinds":
      return <KindsStep number={number} isOperator={isOperator} onClose={onClose} />;
  }
}

function useRefreshNumber() {
  const client = useQueryClient();
  const { queryKey } = smsNumberQuery(useTransport());
  return () => void client.invalidateQueries({ queryKey });
}

const numberSchema = v.object({
  number: v.pipe(v.string(), v.trim(), v.nonEmpty(key("errors.requiredFields"))),
});

function NumberStep({
  number,
  onSent,
  onClose,
}: {
  number: string;
  onSent: (number: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshNumber();
  const form = useAppForm(numberSchema, { number });
  const send = useWrite(SmsService.method.setSmsNumber, {
    onSuccess: (_, { number: to = "" }) => {
      refresh();
      onSent(to);
    },
    onError: (error) => showFieldErrors(form, error, ["number"]),
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("notifications.sms.title")}
      description={t("notifications.sms.purpose")}
      onSubmit={form.handleSubmit((values) =>
        send.mutate({ ...values, language: currentLanguage() }),
      )}
      loading={send.isPending}
      submitError={send.error && errorText(send.error)}
      submitLabel={t("notifications.sms.send")}
      pendingLabel={t("notifications.sms.sending")}
    >
      <TextField
        control={form.control}
        name="number"
        label={t("notifications.sms.number")}
        hint={t("notifications.sms.numberHint")}
        type="tel"
        inputMode="tel"
        autoComplete="tel"
      />
    </FormDialog>
  );
}

const codeSchema = v.object({
  code: v.pipe(v.string(), v.trim(), v.regex(/^\d{6}$/, key("notifications.sms.codeSix"))),
});

function CodeStep({
  number,
  onVerified,
  onChange,
  onClose,
}: {
  number: string;
  onVerified: () => void;
  onChange: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshNumber();
  const transport = useTransport();
  const form = useAppForm(codeSchema, { code: "" });
  const verify = useSecretMutation({
    mutationFn: (values: { code: string }) =>
      callUnaryMethod(transport, SmsService.method.verifySmsNumber, values),
    onSuccess: () => {
      refresh();
      onVerified();
    },
    onError: (error) => showFieldErrors(form, error, ["code"]),
  });
  const again = useWrite(SmsService.method.setSmsNumber, {
    onMutate: () => verify.reset(),
    onSuccess: () => {
      form.resetField("code");
      form.setFocus("code");
    },
  });
  const error = verify.error ?? again.error;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("notifications.sms.codeTitle")}
      description={t("notifications.sms.codeText", { number })}
      onSubmit={form.handleSubmit((values) => {
        again.reset();
        verify.mutate(values);
      })}
      loading={verify.isPending}
      submitError={error && errorText(error)}
      submitLabel={t("notifications.sms.verify")}
      pendingLabel={t("notifications.sms.verifying")}
    >
      <TextField
        control={form.control}
        name="code"
        label={t("notifications.sms.code")}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        mono
        plain
      />
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          onClick={() => again.mutate({ number, language: currentLanguage() })}
          pending={again.isPending}
          pendingLabel={t("notifications.sms.sending")}
        >
          {t("notifications.sms.again")}
        </Button>
        <Button size="small" variant="quiet" onClick={onChange}>
          {t("notifications.sms.changeNumber")}
        </Button>
      </div>
      <p role="status" className="text-sm text-muted empty:hidden">
        {again.isSuccess && t("notifications.sms.sentAgain")}
      </p>
    </FormDialog>
  );
}

const kindsSchema = v.object({
  flaggedSms: v.boolean(),
  returnedSms: v.boolean(),
  statusSms: v.boolean(),
});

function KindsStep({
  number,
  isOperator,
  onClose,
}: {
  number: string;
  isOperator: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const transport = useWriteTransport();
  const { queryKey } = settingsQuery(useTransport());
  const form = useAppForm(kindsSchema, {
    flaggedSms: !isOperator,
    returnedSms: isOperator,
    statusSms: true,
  });
  const save = useMutation({
    mutationFn: async (kinds: v.InferOutput<typeof kindsSchema>) => {
      const { getSettings, setSettings } = SettingsService.method;
      // Settings are replaced whole.
      const { settings } = await callUnaryMethod(transport, getSettings, {});
      if (!settings) throw new Error("no settings");
      const values = { ...settingsValues(settings), ...kinds };
      await callUnaryMethod(transport, setSettings, { settings: settingsOf(values, true) });
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey });
      toast.success(t("notifications.settings.saved"));
      onClose();
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("notifications.sms.kindsTitle")}
      description={t("notifications.sms.kindsText", { number })}
      onSubmit={form.handleSubmit((kinds) => save.mutate(kinds))}
      loading={save.isPending}
      submitError={save.error && errorText(save.error, "notifications.settings.failed")}
      submitLabel={t("notifications.settings.save")}
      pendingLabel={t("notifications.settings.saving")}
    >
      {smsKinds(isOperator).map(({ name, label }) => (
        <CheckboxField key={name} control={form.control} name={name} label={t(label)} />
      ))}
    </FormDialog>
  );
}
