import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { sessionQuery } from "#/session/session";
import { useWriteTransport } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import type { ProfileChange } from "./schema";

/** The personal details are saved, the company's name is not. */
class CompanyNameRefused extends Error {
  constructor(cause: unknown) {
    super("Company name was not saved", { cause });
    this.name = "CompanyNameRefused";
  }
}

/** The error of either call. */
const reasonOf = (error: unknown): unknown =>
  error instanceof CompanyNameRefused ? error.cause : error;

/** Saves the person, then the company's name; either may ask for the password. */
export function useSaveProfile({
  onDone,
  onRefused,
}: {
  onDone: () => void;
  /** `part` is the refused one of the two calls. */
  onRefused: (reason: unknown, part: "person" | "company") => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useWriteTransport(useReauthTransport());
  const client = useQueryClient();

  // The session includes the names in the header.
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: AccountsService, cardinality: undefined }),
      }),
    ]);
  const text = (error: unknown): string | null => {
    const reason = reasonOf(error);
    const refused = error instanceof CompanyNameRefused;
    if (reason instanceof ReauthCancelled)
      return refused ? t("profile.edit.companyNotSaved") : null;
    return refused
      ? `${errorText(reason)} ${t("profile.edit.companyNotSaved")}`
      : errorText(reason);
  };

  const save = useMutation({
    mutationFn: async ({ person, companyName }: ProfileChange) => {
      const { updateProfile, updateCompanySettings } = AccountsService.method;
      if (person) await callUnaryMethod(transport, updateProfile, person);
      if (companyName === null) return;
      try {
        await callUnaryMethod(transport, updateCompanySettings, { companyName });
      } catch (error) {
        throw person ? new CompanyNameRefused(error) : error;
      }
    },
    onSuccess: async () => {
      // Awaited, so that the view does not show the old values for a moment.
      await refresh();
      toast.success(t("profile.edit.done"), t("profile.edit.doneText"));
      onDone();
    },
    onError: (error, { person }) => {
      if (error instanceof CompanyNameRefused) void refresh();
      const company = error instanceof CompanyNameRefused || person === null;
      onRefused(reasonOf(error), company ? "company" : "person");
      const reason = text(error);
      if (reason) toast.failure(t("profile.edit.failed"), reason);
    },
  });
  return { save, error: save.error ? text(save.error) : null };
}
