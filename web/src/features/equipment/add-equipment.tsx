import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { Button } from "#/shared/ui/button";
import { useLimitText } from "#/shared/words/use-limit-text";

/** The link to the form; at the plan's limit, a button that says why nothing can be added. */
export function AddEquipment({
  first = false,
}: {
  /** Whether it would be the company's first equipment. */
  first?: boolean;
}) {
  const { t } = useTranslation();
  const summary = useQuery(equipmentSummaryQuery(useTransport()));
  const blocked = useLimitText(summary.data);
  const content = (
    <>
      {!first && <Plus aria-hidden className="size-4" />}
      {first ? t("equipment.overview.addFirst") : t("equipment.add")}
    </>
  );
  return blocked === undefined ? (
    <Button asChild variant="primary">
      <Link to="/add-equipment">{content}</Link>
    </Button>
  ) : (
    <Button variant="primary" disabledReason={blocked}>
      {content}
    </Button>
  );
}
