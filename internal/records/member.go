package records

// ActiveMember is the SQL condition that user u, with membership m, is an active annotator:
// one who can sign in and is not set aside.
const ActiveMember = "m.role = 'annotator' AND NOT m.removed AND NOT m.set_aside AND NOT u.disabled AND NOT u.imported"
