import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { restVoid } from "#/api/rest";
import { sessionQuery } from "#/session/session";
import { toast } from "#/shared/toast/store";
import type { PasswordValues } from "./schema";

/**
 * `read` returns the passwords at the time of the call. They are not mutation variables, because
 * the cache keeps variables.
 */
export function useChangePassword({
  read,
  onDone,
  onRefused,
}: {
  read: () => PasswordValues;
  onDone: () => void;
  onRefused: (error: Error) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  // Covers the time between a press and the next render.
  const running = useRef(false);
  const change = useMutation({
    mutationFn: () => {
      const { currentPassword, newPassword } = read();
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
  const run = () => {
    if (running.current) return;
    running.current = true;
    change.mutate(undefined, {
      onSettled: () => {
        running.current = false;
      },
    });
  };
  return { run, pending: change.isPending, error: change.error && errorText(change.error) };
}
