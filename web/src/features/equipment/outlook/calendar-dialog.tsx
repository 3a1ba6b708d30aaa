import { timestampDate } from "@bufbuild/protobuf/wkt";
import { callUnaryMethod, createConnectQueryKey, useQuery } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { CalendarX, Copy } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { inputClass } from "#/shared/ui/input-class";
import { Notice } from "#/shared/ui/notice";
import { Skeleton } from "#/shared/ui/skeleton";
import { useCopy } from "#/shared/use-copy";

type Change = "create" | "remove";

/** Creates, replaces and removes the secret address at which a calendar program reads the services. */
export function CalendarDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const errorText = useErrorText();
  const feed = useQuery(AccountsService.method.getCalendarFeed);
  const { address, pending, change } = useCalendarAddress();
  const [asked, setAsked] = useState<Change | null>(null);
  const createdAt = feed.data?.createdAt;
  const confirm = async (what: Change) => {
    await change(what);
    setAsked(null);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("service.feed.title")}
      description={t("service.feed.text")}
      footer={<Button onClick={onClose}>{t("common.close")}</Button>}
    >
      {feed.isPending && <Skeleton className="h-11 w-48" />}
      {feed.error && (
        <ErrorPanel
          title={t("service.feed.loadFailed")}
          reason={errorText(feed.error)}
          onRetry={() => void feed.refetch()}
          retrying={feed.isFetching}
        />
      )}
      {feed.data && (
        <div className="space-y-4">
          {address && <ShownAddress address={address} />}
          {createdAt && !address && (
            <p>{t("service.feed.exists", { date: format.instantDay(timestampDate(createdAt)) })}</p>
          )}
          <div className="flex flex-wrap gap-2">
            {createdAt ? (
              <>
                <Button onClick={() => setAsked("create")}>{t("service.feed.replace")}</Button>
                <Button onClick={() => setAsked("remove")}>
                  <CalendarX aria-hidden className="size-4" />
                  {t("service.feed.remove")}
                </Button>
              </>
            ) : (
              <Button
                variant="primary"
                pending={pending}
                pendingLabel={t("service.feed.creating")}
                onClick={() => void change("create")}
              >
                {t("service.feed.create")}
              </Button>
            )}
          </div>
        </div>
      )}
      {asked && (
        <AlertDialog
          open
          onOpenChange={() => setAsked(null)}
          title={
            asked === "create" ? t("service.feed.replaceTitle") : t("service.feed.removeTitle")
          }
          description={t("service.feed.ends")}
          confirmLabel={asked === "create" ? t("service.feed.replace") : t("service.feed.remove")}
          pendingLabel={t("service.feed.saving")}
          pending={pending}
          onConfirm={() => void confirm(asked)}
        />
      )}
    </Dialog>
  );
}

function ShownAddress({ address }: { address: string }) {
  const { t } = useTranslation();
  const copy = useCopy();
  const id = useId();
  return (
    <div className="space-y-3">
      <div>
        <label htmlFor={id} className="mb-1 block font-semibold">
          {t("service.feed.address")}
        </label>
        <div className="flex gap-2">
          <input
            id={id}
            readOnly
            value={address}
            onFocus={(event) => event.target.select()}
            className={inputClass}
          />
          <Button onClick={() => void copy(address, t("service.feed.copied"))}>
            <Copy aria-hidden className="size-4" />
            {t("service.feed.copy")}
          </Button>
        </div>
      </div>
      <p className="text-sm text-muted">{t("service.feed.how")}</p>
      <Notice>{t("service.feed.once")}</Notice>
    </div>
  );
}

/** Holds a new address while the dialog is open. It is fetched without a mutation, whose cache would keep it. */
function useCalendarAddress() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const client = useQueryClient();
  const [address, setAddress] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const change = async (what: Change) => {
    setPending(true);
    const { createCalendarFeed, deleteCalendarFeed, getCalendarFeed } = AccountsService.method;
    try {
      if (what === "create") {
        const { secret } = await callUnaryMethod(transport, createCalendarFeed, {});
        setAddress(`${window.location.origin}/api/calendar/${secret}.ics`);
      } else {
        await callUnaryMethod(transport, deleteCalendarFeed, {});
        setAddress(null);
        toast.success(t("service.feed.removed"));
      }
      await client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: getCalendarFeed, cardinality: "finite" }),
      });
    } catch (error) {
      if (error instanceof ReauthCancelled) return;
      toast.failure(t("service.feed.failed"), errorText(error));
    } finally {
      setPending(false);
    }
  };
  return { address, pending, change };
}
