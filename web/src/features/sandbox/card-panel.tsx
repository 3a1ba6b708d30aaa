import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { CreditCard } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { SandboxService } from "#/api/gen/hourmeter/billing/v1/sandbox_pb";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Notice } from "#/shared/ui/notice";
import { portalQuery } from "./queries";

/** The simulated card: valid, or declined at the next renewal. */
export function CardPanel({ declines }: { declines: boolean }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const change = useChangeCard();
  return (
    <Card title={t("sandbox.portal.card")} description={t("sandbox.portal.cardHint")}>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <div className="flex items-start gap-3">
          <CreditCard aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
          <div>
            <p className={declines ? "font-semibold text-danger" : "font-semibold"}>
              {declines ? t("sandbox.portal.declines") : t("sandbox.portal.works")}
            </p>
            <p className="mt-0.5 text-sm text-muted">
              {declines ? t("sandbox.portal.declinesText") : t("sandbox.portal.worksText")}
            </p>
          </div>
        </div>
        <Button
          variant={declines ? "primary" : "secondary"}
          className="max-md:w-full"
          pending={change.isPending}
          pendingLabel={t("sandbox.portal.changing")}
          onClick={() => change.mutate({ declines: !declines })}
        >
          {declines ? t("sandbox.portal.mend") : t("sandbox.portal.breakIt")}
        </Button>
      </div>
      {change.error && (
        <div className="mt-4">
          <Notice tone="danger">{errorText(change.error, "sandbox.portal.changeFailed")}</Notice>
        </div>
      )}
    </Card>
  );
}

function useChangeCard() {
  const { t } = useTranslation();
  const transport = useTransport();
  const client = useQueryClient();
  return useWrite(SandboxService.method.setSandboxCard, {
    onSuccess: ({ portal }, { declines }) => {
      client.setQueryData(portalQuery(transport).queryKey, portal);
      if (declines) {
        toast.success(t("sandbox.portal.nowDeclines"), t("sandbox.portal.declinesText"));
      } else {
        toast.success(t("sandbox.portal.nowWorks"), t("sandbox.portal.nowWorksText"));
      }
    },
  });
}
