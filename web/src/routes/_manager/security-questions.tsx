import { createFileRoute } from "@tanstack/react-router";
import { securityQuestionListQuery } from "#/features/auth/calls";
import { SecurityQuestionsPage } from "#/features/auth/security-questions-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/security-questions")({
  staticData: { title: key("shell.titles.securityQuestions") },
  // The page comes with its questions; it reports a failure itself.
  loader: ({ context }) => context.queryClient.prefetchQuery(securityQuestionListQuery),
  component: SecurityQuestionsPage,
});
