"""Invitations to a workspace ("WorkspaceInvitation", "CreateWorkspaceInvitation")."""

from coachboard.wire.base import Text, Timestamp, Wire, YesNo
from coachboard.wire.enums import InvitedRole


class CreateWorkspaceInvitation(Wire):
    """A request to invite an address; spec: not shown: all names but sendInvitationEmail, and its default."""

    email: Text
    role: InvitedRole
    send_invitation_email: YesNo = False


class WorkspaceInvitation(Wire):
    """A pending invitation; spec: not shown: all names, only that a code and an expiry exist."""

    id: Text
    workspace_id: Text
    email: Text
    role: InvitedRole
    code: Text
    expires_at: Timestamp
