import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { restVoid } from "#/api/rest";
import { sessionQuery } from "#/session/session";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import type { PasswordValues } from "./schema";

export function useChangePassword({
  onDone,
  onRefused,
}: {
  onDone: () => void;
  onRefused: (error: Error) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const change = useSecretMutation({
    mutationFn: ({ currentPassword, newPassword }: PasswordValues) => {
      const body = { currentPassword, newPassword };
      return restVoid("PATCH", "/api/user/change-password", { body });
    },
    onSuccess: () => {
      toast.success(t("profile.password.done"), t("profile.password.doneText"));
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      onDone();
    },
    onError: (error) => {
      onRefused(error);
      toast.failure(t("profile.password.failed"), errorText(error));
    },
  });
  return {
    run: change.mutate,
    pending: change.isPending,
    error: change.error && errorText(change.error),
  };
}
